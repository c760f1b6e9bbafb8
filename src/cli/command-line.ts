/** Reads the arguments of the command line. */
import { parseArgs } from 'node:util'

export const HELP = `Usage: npm run cli -- <command>

  migrate                          apply all database migrations, as the role in MIGRATION_DATABASE_URL
  setup-temporal                   register the search attributes and the housekeeping Schedule in Temporal
  bundle-workflows --out FILE      bundle the workflows to make workers start faster
  reconcile [--parallel 8] [--after WORKFLOW_ID]
                                   make every workflow agree with the database; Ctrl-C prints how to continue
  rotate-data-key                  encrypt all data with the first key of ENCRYPTION_KEYS; can be interrupted
  erase (--identification ID | --kyb ID | --due) [--dry-run] [--yes]
                                   permanently erase personal data after its retention period
  legal-hold --identification ID (--on | --off)
                                   protect an identification from erasure, or end the protection
  rotate-signing-key               sign access tokens with a new key; existing tokens remain valid
  recount-webhook-logs [--repair]  compare the stored counts of webhook logs with the logs; exit code 1 if they differ
  doctor [--json]                  check settings, connections, versions, clocks, storage, certificates, migrations,
                                   schedules and queues, and say what to do; exit code 1 if a check fails
  record-run --task TASK [--bytes SIZE --free-bytes SIZE]
                                   record that a backup, restore_check or erasure of your own has succeeded, and for a
                                   backup its size and the free space of its disk; alerts use them
  check-files [--repair]           compare the stored files with the database; exit code 3 if they differ
  move-files [--to URL] [--from URL] [--delete-source]
                                   copy all files to the folder or bucket and verify the copies; exit code 3 if it
                                   lists files that it did not copy. The default of --to is the first URL of
                                   BLOB_URL, and of --from the others. With --delete-source, delete the verified
                                   originals
  profile export --vault ID [--out FILE]
                                   print the vault's draft of a profile, or the newest version
  profile check --vault ID --file FILE
                                   list the problems of a profile; exit code 1 if there are any
  profile compare --vault ID --file FILE
                                   describe how a profile differs from the newest version; exit code 3 if it does
  profile publish --vault ID --file FILE [--from DATE]
                                   publish a profile that applies immediately, or from this date (UTC); instead of
                                   --file, --name eu-amlr, uk, us or default names a profile that Gatehouse ships
  create-vault --name NAME         create a vault and print its ID
  create-api-key --vault ID [--role api_read --role api_write]
                                   create an API key and print it once
  create-user --email EMAIL --vault ID [--role api_read --role api_write]
  create-operator --email EMAIL [--role operator_review]
                                   create a user or an operator and print a new password once; an existing
                                   user gets the new password and these roles; for an administrator,
                                   add --role operator_admin
  map-group [--group NAME (--role reviewer | --remove) [--vault ID]]
                                   grant the members of a group at the OpenID provider these roles, in all vaults or
                                   in one, or remove them; prints all mapped groups
  break-glass [--role operator_review --role operator_admin]
                                   create an operator for one hour and print the email and the password once;
                                   works with OPERATOR_PASSWORDS=off`

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  task: { type: 'string' },
  bytes: { type: 'string' },
  'free-bytes': { type: 'string' },
  json: { type: 'boolean' },
  vault: { type: 'string' },
  email: { type: 'string' },
  group: { type: 'string' },
  remove: { type: 'boolean' },
  out: { type: 'string' },
  identification: { type: 'string' },
  kyb: { type: 'string' },
  due: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
  on: { type: 'boolean' },
  off: { type: 'boolean' },
  role: { type: 'string', multiple: true },
  repair: { type: 'boolean' },
  to: { type: 'string' },
  from: { type: 'string' },
  'delete-source': { type: 'boolean' },
  after: { type: 'string' },
  parallel: { type: 'string' },
  file: { type: 'string' },
} as const

/** The options that each command accepts. Other options are refused, because the command would ignore them. */
const ACCEPTED = {
  migrate: [],
  'setup-temporal': [],
  'bundle-workflows': ['out'],
  reconcile: ['parallel', 'after'],
  'rotate-data-key': [],
  erase: ['identification', 'kyb', 'due', 'dry-run', 'yes'],
  'legal-hold': ['identification', 'on', 'off'],
  'rotate-signing-key': [],
  'recount-webhook-logs': ['repair'],
  doctor: ['json'],
  'record-run': ['task', 'bytes', 'free-bytes'],
  'check-files': ['repair'],
  'move-files': ['to', 'from', 'delete-source'],
  profile: ['vault', 'file', 'name', 'out', 'from'],
  'create-vault': ['name'],
  'create-api-key': ['vault', 'role'],
  'create-user': ['email', 'vault', 'role'],
  'create-operator': ['email', 'role'],
  'map-group': ['group', 'role', 'remove', 'vault'],
  'break-glass': ['role'],
} as const satisfies Record<string, readonly (keyof typeof OPTIONS)[]>

/** The words that follow `profile`. */
const PROFILE_ACTIONS = ['export', 'check', 'compare', 'publish'] as const
export type ProfileAction = (typeof PROFILE_ACTIONS)[number]

export type Command = keyof typeof ACCEPTED

export type Values = ReturnType<typeof parse>['values']

export interface GivenCommand {
  readonly command: Command
  readonly action?: ProfileAction
  readonly values: Values
}

const parse = (args: string[]) => parseArgs({ args, allowPositionals: true, options: OPTIONS })

/** Returns the command and its options, `help` if it is requested, or the problem with the arguments. */
export function readCommandLine(args: string[]): GivenCommand | { command: 'help' } | { problem: string } {
  const usage = (problem: string) => ({ problem: `${problem}\n\n${HELP}` })
  try {
    const {
      positionals: [name = '', ...others],
      values,
    } = parse(args)
    if (values.help) return { command: 'help' }
    if (!Object.hasOwn(ACCEPTED, name)) return { problem: HELP }
    const command = name as Command
    const accepted: readonly string[] = ACCEPTED[command]
    const foreign = Object.keys(values).find((option) => !accepted.includes(option))
    if (foreign !== undefined) return usage(`${name} does not accept --${foreign}.`)
    const action = command === 'profile' ? PROFILE_ACTIONS.find((each) => each === others[0]) : undefined
    if (command === 'profile' && !action) return usage(`${name} needs one of ${PROFILE_ACTIONS.join(', ')}.`)
    const [extra] = action ? others.slice(1) : others
    if (extra !== undefined)
      return usage(`${name} does not accept '${extra}'. Put values with spaces in quotes.`)
    return { command, ...(action && { action }), values }
  } catch (error) {
    return usage((error as Error).message)
  }
}
