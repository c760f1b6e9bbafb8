/** Prints the demo's numbered steps, their calls and the results. */

const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR
const paint = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = paint(1)
const dim = paint(2)
const red = paint(31)
const green = paint(32)
const cyan = paint(36)

export const say = (line = ''): void => console.log(line)

let steps = 0

export function step(title: string, ...why: string[]): void {
  steps += 1
  say(`\n${bold(`${steps}. ${title}`)}`)
  for (const line of why) say(dim(`   ${line}`))
}

/** Shortens IDs in paths, because they would push the response off the line. */
export const withoutIds = (path: string): string =>
  path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')

export function showCall(method: string, path: string, status: number, note = ''): void {
  const answer = (status < 400 ? green : red)(String(status))
  say(`   ${cyan(method)} ${withoutIds(path)} → ${answer}${note && dim(`  ${note}`)}`)
}

export const detail = (line: string): void => say(`      ${line}`)

export const fact = (name: string, value: string): void => detail(`${dim(name.padEnd(23))} ${value}`)

export const holds = (line: string): void => detail(`${green('✓')} ${line}`)

export function showFailure(message: string): void {
  const [first, ...rest] = message.split('\n')
  console.error(`\n${red('✗')} ${first}${rest.map((line) => `\n  ${line}`).join('')}`)
}
