/** Chooses the account for PostgreSQL, which refuses to run as root. */
import { spawnSync } from 'node:child_process'
import { chownSync, lstatSync, readFileSync } from 'node:fs'

export type Account = {
  uid?: number
  gid?: number
  /** Returns the command and arguments that run a program under this account. */
  wrap(command: string, args: string[]): { command: string; args: string[]; uid?: number; gid?: number }
  /** Makes the account the owner of a file or folder. */
  own(path: string): void
}

/** Returns the account, which must be able to read and write `folder` and to run `program`. */
export function postgresAccount(cluster: string, folder: string, program: string): Account {
  if (process.getuid?.() !== 0) return { wrap: (command, args) => ({ command, args }), own: () => {} }
  const { uid, gid } = ownerOf(cluster) ?? accountNamed('postgres') ?? accountNamed('nobody') ?? fail()
  const own = (path: string) => chownSync(path, uid, gid)
  const plain = (command: string, args: string[]) => ({ command, args, uid, gid })
  // The account may be unable to enter /root, so it keeps the one capability that bypasses permissions.
  const passing = (command: string, args: string[]) => ({
    command: 'setpriv',
    args: [
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      '--inh-caps=+dac_override',
      '--ambient-caps=+dac_override',
      // The capability takes effect only in the program that this one starts.
      '/bin/sh',
      '-c',
      'exec "$0" "$@"',
      command,
      ...args,
    ],
  })
  for (const wrap of [plain, passing]) {
    const probe = wrap('/bin/sh', ['-c', 'test -x "$0" && "$1" --version', folder, program])
    if (spawnSync(probe.command, probe.args, { ...probe, stdio: 'ignore' }).status === 0) return { wrap, own }
  }
  throw new Error(
    `PostgreSQL cannot run as root, and its account (uid ${uid}) has no access to ${folder} ` +
      `or ${program}. Start as an ordinary user, or from a folder that all users can access.`,
  )
}

function ownerOf(cluster: string): { uid: number; gid: number } | undefined {
  const found = lstatSync(cluster, { throwIfNoEntry: false })
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined
}

function accountNamed(name: string): { uid: number; gid: number } | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [account, , uid, gid] = line.split(':')
    if (account === name) return { uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}

function fail(): never {
  throw new Error(
    'PostgreSQL cannot run as root, and the accounts `postgres` and `nobody` do not exist. Start as an ordinary user.',
  )
}
