/** Archives the databases of a machine of Debian 14, loses the machine, and recovers a point in time on an empty one. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/available.ts'
import { blocksIn, filled } from '../support/guide.ts'
import {
  BUCKET_TLS_PORT,
  install,
  newEnvironment,
  newSettings,
  prepare,
  startBucket,
} from '../support/installation.ts'
import { eventually } from '../support/instance.ts'
import { type Machine, missingMachines, startMachine } from '../support/machine.ts'
import { BUCKET, CREDENTIALS, missingVersitygw } from '../support/versitygw.ts'

const PAGE = 'backups.md'

describeUnless(
  missingMachines() ?? (await missingVersitygw()),
  'the archive of a machine of Debian 14',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-archive-'))
    const settings = newSettings()
    const environment = newEnvironment(settings)
    const [configuration, begin] = blocksIn(PAGE, 'Archive continuously').map(({ code }) => code)
    const values = {
      'S3 host name': '127.0.0.1',
      region: 'us-east-1',
      bucket: BUCKET,
      'access key': CREDENTIALS.AWS_ACCESS_KEY_ID,
      'secret key': CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      'openssl rand -base64 48': 'a passphrase of this test',
    }
    // The certificate of the test's bucket is its own.
    const extra = `[global]\nrepo1-storage-port=${BUCKET_TLS_PORT}\nrepo1-storage-verify-tls=n\n`
    const configure = async (machine: Machine) => {
      const text = filled(configuration ?? '', values).replace('[global]\n', extra)
      await machine.write('/etc/pgbackrest.conf', text, '640')
      await machine.run('chgrp postgres /etc/pgbackrest.conf')
    }
    let machine: Machine
    const query = (sql: string) => machine.run(`cd / && sudo -u postgres psql -Atd gatehouse -c "${sql}"`)
    const addVault = (name: string) => machine.run(`gatehouse create-vault --name ${name}`)
    let before: string

    beforeAll(async () => {
      machine = await startMachine()
      await startBucket(machine)
      await install(machine, settings, environment)
      await configure(machine)
      await machine.run(begin ?? 'false')
    })
    afterAll(async () => {
      await machine?.stop()
      rmSync(folder, { recursive: true })
    })

    test('receives changes without waiting for the next base backup', async () => {
      await addVault('Kept')
      before = await query('SELECT clock_timestamp()')
      await addVault('Mistake')
      const archived = await query('SELECT pg_walfile_name(pg_switch_wal())')
      await machine.run(
        `for i in $(seq 60); do sudo -u postgres psql -Atc 'SELECT last_archived_wal FROM pg_stat_archiver' |
        grep -qx ${archived} && exit 0; sleep 0.5; done; exit 1`,
      )
      // On Sundays the service makes a full backup, so the test chooses the day.
      for (const [day, type] of [
        [7, 'full'],
        [1, 'diff'],
      ] as const) {
        await machine.write('/usr/local/bin/date', `#!/bin/sh\necho ${day}\n`, '755')
        await machine.run('systemctl start gatehouse-base-backup')
        const info = JSON.parse(await machine.run('sudo -u postgres pgbackrest info --output=json'))
        expect(info[0].backup.at(-1).type).toBe(type)
      }
      await machine.run('rm /usr/local/bin/date')
    })

    test('recovers a point in time on an empty machine', async () => {
      cpSync(machine.path('/srv/bucket'), folder, { recursive: true })
      await machine.stop()
      machine = await startMachine()
      cpSync(folder, machine.path('/srv/bucket'), { recursive: true })
      await startBucket(machine)
      await prepare(machine, settings, environment)
      await configure(machine)
      const blocks = blocksIn(PAGE, 'Recover to a point in time')
      for (const { code } of blocks) await machine.run(filled(code, { time: before }))
      expect(await query('SELECT name FROM vaults ORDER BY name')).toBe('Kept')
      await addVault('Later')
      expect(await query('SELECT count(*) FROM vaults')).toBe('2')
    })

    test('fails over to a replica without losing an acknowledged change', async () => {
      const known = {
        replica: 'secret',
        'address of the primary': '127.0.0.1',
        'address of the replica': '127.0.0.1',
      }
      const [primary = '', replica = '', synchronous = '', promote = ''] = blocksIn(
        PAGE,
        'Replicas and failover',
      ).map(({ code }) => filled(code, known))
      // The replica is a second cluster of the same machine.
      const onReplica = (code: string) =>
        machine.run(
          code
            .replaceAll('18/main', '18/replica')
            .replaceAll(/'?postgresql(@\*')?(?= &&|$)/gm, 'postgresql@18-replica')
            .replaceAll('postgres psql', 'postgres psql -p 5433'),
        )
      await machine.run(primary)
      await machine.run('pg_createcluster 18 replica -p 5433 && systemctl daemon-reload')
      await onReplica(replica)
      await machine.run(synchronous)
      const states = () => query('SELECT state, sync_state FROM pg_stat_replication')
      await eventually(async () => expect(await states()).toBe('streaming|quorum'))
      await addVault('Acknowledged')
      await machine.run('systemctl kill -s KILL postgresql@18-main; systemctl stop postgresql@18-main')
      await onReplica(promote)
      const names = "sudo -u postgres psql -p 5433 -Atd gatehouse -c 'SELECT name FROM vaults ORDER BY name'"
      expect((await machine.run(names)).split('\n')).toEqual(['Acknowledged', 'Kept', 'Later'])
    })
  },
)
