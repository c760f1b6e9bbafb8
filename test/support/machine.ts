/**
 * Starts machines of Debian 14 with systemd and PostgreSQL, each with its own processes, network and files. A machine is
 * a set of Linux namespaces, so it needs root, but no virtual machine and no container engine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { whileLocked } from '../../dev/lock.ts'
import { CACHE_DIR } from '../../dev/settings.ts'
import { missingProgram } from './available.ts'
import { eventually } from './instance.ts'

/** The packages that the guides require, as far as the tests use them. */
const PACKAGES =
  'postgresql,pgbackrest,sudo,openssl,curl,ca-certificates,adduser,procps,systemd-sysv,dbus,libatomic1'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BASE = join(CACHE_DIR, 'debian-14-2')

export const missingMachines = (): string | null =>
  (process.getuid?.() === 0 ? null : 'the tests do not run as root') ??
  (existsSync(BASE) ? null : missingProgram('mmdebstrap', 'mmdebstrap', '--version')) ??
  missingProgram('a kernel with namespaces', 'unshare', '--mount', '--pid', '--net', '--fork', 'true')

/** Returns the file system that all machines start with. Installs it if necessary. */
async function findBase(): Promise<string> {
  mkdirSync(CACHE_DIR, { recursive: true })
  await whileLocked(`${BASE}.lock`, async () => {
    if (existsSync(BASE)) return
    const folder = mkdtempSync(join(CACHE_DIR, 'new-'))
    try {
      const root = join(folder, 'root')
      // A mirror that is not updated is sufficient here.
      const options = [
        '--variant=minbase',
        '--skip=check/qemu',
        '--aptopt=Acquire::Check-Valid-Until "false"',
      ]
      await execa('mmdebstrap', [...options, `--include=${PACKAGES}`, 'forky', root])
      renameSync(root, BASE)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  return BASE
}

/**
 * Mounts the file systems of the machine and starts systemd. `$1` is the base, `$2` is an empty folder, and `$3` is the
 * checkout.
 */
const BOOT = `set -eu
mount --make-rprivate /
mkdir "$2/upper" "$2/work" "$2/root"
root=$2/root
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for each in run tmp dev; do mount -t tmpfs tmpfs "$root/$each"; done
chmod 1777 "$root/tmp"
echo "127.0.0.1 localhost $(uname -n)" > "$root/etc/hosts"
for each in null zero full random urandom tty; do touch "$root/dev/$each"; mount --bind "/dev/$each" "$root/dev/$each"; done
mkdir "$root/dev/shm"
chmod 1777 "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for each in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/\${each%:*}" "$root/dev/\${each#*:}"; done
mkdir -p "$root/opt/gatehouse/node_modules"
mount --bind "$3/node_modules" "$root/opt/gatehouse/node_modules"
mount -o remount,bind,ro "$root/opt/gatehouse/node_modules"
mkdir "$root/old"
cd "$root"
pivot_root . old
exec env -i container=other PATH=/usr/sbin:/usr/bin chroot . sh -c 'umount -l /old; exec /lib/systemd/systemd'`

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const cgroupFolder = () =>
  /^(?:\S+ ){4}(\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8'))?.[1] ??
  '/sys/fs/cgroup'

export type Machine = Awaited<ReturnType<typeof startMachine>>

export async function startMachine() {
  const base = await findBase()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-machine-'))
  const cgroup = join(cgroupFolder(), `gatehouse-${randomBytes(6).toString('hex')}`)
  mkdirSync(cgroup)
  const namespaces = ['--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', '--fork', '--kill-child']
  const enter = `echo $$ > "$0/cgroup.procs"; exec setpriv --pdeathsig KILL unshare ${namespaces.join(' ')} sh -c "$1" sh "$2" "$3" "$4"`
  const child: ChildProcess = spawn('sh', ['-c', enter, cgroup, BOOT, base, folder, ROOT], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const init = await eventually(() => {
    const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
    if (readFileSync(`/proc/${first}/comm`, 'utf8').trim() !== 'systemd')
      throw new Error('it has not started')
    return first
  })
  const inside = ['-t', init, '-m', '-p', '-n', '-u', '-i', '-C', '-r', '-w', 'env', '-i']
  const variables = ['HOME=/root', `PATH=${PATH}`]

  /** Runs a script in a shell of root with the functions in `.bashrc`. Stops at the first command that fails. */
  const tryToRun = (script: string, input?: string | Buffer) =>
    execa('nsenter', [...inside, ...variables, 'bash', '-ec', `. /root/.bashrc\n${script}`], {
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
      all: true,
      reject: false,
    })
  const machine = {
    tryToRun,
    /** Runs a script and returns its output. Throws if it fails. */
    async run(script: string, input?: string | Buffer): Promise<string> {
      const { exitCode, stdout, all } = await tryToRun(script, input)
      if (exitCode !== 0) throw new Error(`exit code ${exitCode} of:\n${script}\n${all}`)
      return stdout
    },
    write: (path: string, content: string | Buffer, mode = '644') =>
      machine.run(`install -D -m ${mode} /dev/null ${path} && cat > ${path}`, content),
    /** Returns the path of a machine's file for this process. */
    path: (inner: string) => `/proc/${init}/root${inner}`,
    async stop(): Promise<void> {
      child.kill('SIGKILL')
      await once(child, 'exit')
      // A cgroup can be removed after its last process has ended.
      await eventually(() => execa('find', [cgroup, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+']))
      rmSync(folder, { recursive: true })
    },
  }
  await eventually(() => machine.run('sudo -u postgres psql -c "SELECT 1"'))
  return machine
}
