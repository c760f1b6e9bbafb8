/** Tests which code blocks belong to a heading of a page. */
import { expect, test } from 'vitest'
import { blocksBelow } from '../../support/guide.ts'

const PAGE = `# Guide
Text
\`\`\`sh
## Second
before
\`\`\`
## First
One
\`\`\`sh
# A comment
first
\`\`\`
### Below
1. Step
   \`\`\`json
   {}
   \`\`\`
## Second
\`\`\`
second
\`\`\`
`

test.each([
  ['Guide', ['## Second\nbefore\n', '# A comment\nfirst\n', '   {}\n', 'second\n']],
  ['First', ['# A comment\nfirst\n', '   {}\n']],
  ['Below', ['   {}\n']],
  ['Second', ['second\n']],
  ['A comment', undefined],
])('finds the blocks below %s', (heading, codes) => {
  expect(blocksBelow(PAGE, heading)?.map(({ code }) => code)).toEqual(codes)
})

test('returns the language and the text before a block', () => {
  const [first, second] = blocksBelow(PAGE, 'First') ?? []
  expect(first).toMatchObject({ language: 'sh', before: '\nOne\n' })
  expect(second).toMatchObject({ language: 'json', before: '\n### Below\n1. Step\n' })
})
