/** Renders the Helm chart, validates it, and compares it with the image, the settings and the metrics. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { beforeAll, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { composeFile, read, serviceOf } from '../docker/compose-file.ts'
import { describeUnless } from '../support/available.ts'
import { kubernetesTools, missingKubernetesTools } from '../support/kubernetes.ts'

const CHART = new URL('../../deploy/helm', import.meta.url).pathname
const README = read('deploy/helm/README.md')

interface Container {
  name: string
  command: string[]
  env: { name: string; value: string }[]
  envFrom: { secretRef: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  securityContext: object
  readinessProbe?: { httpGet: object }
  livenessProbe?: { httpGet: object }
  startupProbe?: { httpGet: object }
}
interface Pod {
  initContainers?: Container[]
  containers: Container[]
  securityContext: object
  automountServiceAccountToken: boolean
  terminationGracePeriodSeconds?: number
}
interface Manifest {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: kubeconform checks the schema of each kind.
  spec: any
}

/** The YAML blocks of the README contain the values of an installation and the settings of optional resources. */
const yamlBlocks = [...README.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) =>
  parse(block.replaceAll('<registry>', 'registry.example.com')),
)
const [example] = yamlBlocks
const ALL_OPTIONS = [
  'api.autoscaling.enabled=true',
  'worker.autoscaling.enabled=true',
  'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name=monitoring',
  'networkPolicy.apiFrom[0].namespaceSelector.matchLabels.name=ingress',
]

describeUnless(missingKubernetesTools, 'The Helm chart', () => {
  let tools: Awaited<ReturnType<typeof kubernetesTools>>
  let rendered: { default: string; full: string }
  let manifests: Manifest[]

  const render = (values: object, ...options: string[]) =>
    tools.helm(
      'template',
      'gatehouse',
      CHART,
      '--kube-version=1.30.0',
      `--set-json=${Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`)}`,
      ...options.map((option) => `--set=${option}`),
    )
  const of = (kind: string, name: string): Manifest => {
    const found = manifests.find((each) => each.kind === kind && each.metadata.name === `gatehouse${name}`)
    if (!found) throw new Error(`The chart has no ${kind} gatehouse${name}`)
    return found
  }
  const pods = (): Pod[] =>
    manifests.flatMap(({ spec }) => (spec?.jobTemplate?.spec ?? spec)?.template?.spec ?? [])
  const containers = () => pods().flatMap((pod) => [...(pod.initContainers ?? []), ...pod.containers])

  beforeAll(async () => {
    tools = await kubernetesTools()
    const everything = Object.assign({}, ...yamlBlocks)
    rendered = { default: await render(example), full: await render(everything, ...ALL_OPTIONS) }
    manifests = parseAllDocuments(rendered.full).map((document) => document.toJS())
  })

  it.each(['1.30.0', '1.37.0'])('is valid in Kubernetes %s', async (version) => {
    for (const each of Object.values(rendered)) await tools.validate(each, version)
    const broken = rendered.full.replace('readOnlyRootFilesystem: true', 'readOnlyRootFileSystem: true')
    await expect(tools.validate(broken, version)).rejects.toThrow('readOnlyRootFileSystem')
  })

  it('creates exactly these resources', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name.replace('gatehouse', '')}`)
    expect(names.sort()).toEqual([
      'ConfigMap -backup',
      'CronJob -backup',
      'CronJob -erasure',
      'Deployment -api',
      'Deployment -worker',
      'HorizontalPodAutoscaler -api',
      'HorizontalPodAutoscaler -worker',
      'Ingress -identity-provider',
      'Ingress -operators',
      'Ingress -provider',
      'Ingress -public',
      'Job -migration',
      'NetworkPolicy ',
      'NetworkPolicy -api',
      'PodDisruptionBudget -api',
      'PodDisruptionBudget -worker',
      'Service -api',
    ])
    for (const optional of ['HorizontalPodAutoscaler', 'Ingress', 'ConfigMap'])
      expect(rendered.default).not.toContain(`kind: ${optional}`)
  })

  it('runs the commands of docker-compose.yml', () => {
    const file = composeFile()
    const named = ['migrate', 'setup-temporal', 'api', 'worker']
    const commands = new Map(containers().map(({ name, command }) => [name, command]))
    expect([...commands.keys()].sort()).toEqual([...named, 'authorities', 'dump', 'backup', 'erasure'].sort())
    for (const name of named) expect(commands.get(name)).toEqual(serviceOf(file, name).command)
  })

  it('erases as systemd does, and runs the script of all backups', () => {
    const commands = new Map(containers().map(({ name, command }) => [name, command.join(' ')]))
    const [, unit = ''] = /^ExecStart=\S+ (.*)$/m.exec(read('deploy/systemd/gatehouse-erase.service')) ?? []
    expect(commands.get('erasure')).toBe(`node ${unit}`)
    const [container] = of('CronJob', '-backup').spec.jobTemplate.spec.template.spec.containers
    expect(container.command).toEqual(['sh', '/script/backup.sh', 'kubernetes', '/backup'])
    // biome-ignore lint/suspicious/noExplicitAny: only a ConfigMap has data.
    expect((of('ConfigMap', '-backup') as any).data['backup.sh']).toBe(read('deploy/backup.sh'))
    const [authorities, dump] = of('CronJob', '-backup').spec.jobTemplate.spec.template.spec.initContainers
    expect(read('docker-compose.yml')).toContain(`image: ${dump.image}\n`)
    // The README tells pg_dump to verify the certificate of PostgreSQL.
    const [{ value: file }] = dump.env
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-chart-'))
    const written = join(folder, 'authorities.pem')
    const [node, ...args] = authorities.command.map((arg: string) => arg.replace(file, written))
    spawnSync(node, args)
    expect([dump.env[0].name, readFileSync(written, 'utf8')]).toEqual([
      'PGSSLROOTCERT',
      rootCertificates.join('\n'),
    ])
    rmSync(folder, { recursive: true })
  })

  it('migrates before it installs or replaces processes', () => {
    expect(of('Job', '-migration').metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
    })
  })

  it('runs no pod as root, and lets none write to its file system or call Kubernetes', () => {
    for (const pod of pods()) {
      expect(pod.automountServiceAccountToken).toBe(false)
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
    }
    for (const { securityContext } of containers()) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('reads secrets only from Secrets, and the secret for migrations only in migrations and backups', () => {
    for (const { name, envFrom } of containers().filter(({ name }) => name !== 'authorities')) {
      const secrets = envFrom.map(({ secretRef }) => secretRef.name)
      expect(secrets).toEqual(
        ['migrate', 'dump'].includes(name) ? ['gatehouse', 'gatehouse-migration'] : ['gatehouse'],
      )
    }
  })

  it('sets only existing settings', () => {
    const settings = new Set(
      [...read('src/process/config.ts').matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name),
    )
    for (const name of ['BACKUP_DAYS', 'PGSSLROOTCERT']) settings.add(name)
    const secrets = [...README.matchAll(/--from-literal=(\w+)=/g)].map(([, name]) => name)
    const given = containers().flatMap(({ env = [] }) => env.map(({ name }) => name))
    expect([...new Set([...given, ...secrets])].filter((name) => !settings.has(name))).toEqual([])
  })

  it('probes, stops and scrapes each process as the process expects', () => {
    for (const name of ['api', 'worker']) {
      const { template } = of('Deployment', `-${name}`).spec
      const [container] = template.spec.containers as Container[]
      const env = new Map(container?.env.map((each) => [each.name, each.value]))
      const ports = new Map(container?.ports?.map((each) => [each.name, String(each.containerPort)]))
      expect(env.get('HOST')).toBe('0.0.0.0')
      expect(ports.get('http')).toBe(env.get(name === 'api' ? 'PORT' : 'HEALTH_PORT'))
      expect(ports.get('metrics')).toBe(env.get('METRICS_PORT'))
      expect(template.metadata.annotations['prometheus.io/port']).toBe(env.get('METRICS_PORT'))
      expect(container?.livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'http' })
      expect(container?.startupProbe?.httpGet).toEqual({ path: '/livez', port: 'http' })
      expect(container?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' })
      expect(template.spec.terminationGracePeriodSeconds).toBe(
        Number.parseInt(serviceOf(composeFile(), name).stop_grace_period ?? '', 10),
      )
    }
  })

  it('scales by metrics that the adapter derives from the metrics of the processes', () => {
    const { rules } = parse(readFileSync(`${CHART}/prometheus-adapter.yaml`, 'utf8'))
    const derived = new Map<string, string>(
      rules.custom.map(({ name, metricsQuery }: { name: { as: string }; metricsQuery: string }) => [
        name.as,
        metricsQuery,
      ]),
    )
    const scaled = ['-api', '-worker'].map((name) => {
      const autoscaler = of('HorizontalPodAutoscaler', name).spec
      expect(autoscaler.scaleTargetRef.name).toBe(`gatehouse${name}`)
      // With a fixed number, each upgrade would undo the scaling.
      expect(of('Deployment', name).spec.replicas).toBeUndefined()
      return autoscaler.metrics[0].pods.metric.name
    })
    expect([...derived.keys()]).toEqual(scaled)
    const documented = `${read('src/compose/metrics.ts')}${read('deploy/grafana-dashboard.json')}`
    for (const query of derived.values()) {
      for (const [name] of query.matchAll(/\b(gatehouse|temporal)_[a-z_]+/g))
        expect(documented).toContain(name.replace(/_(count|used)$/, ''))
    }
  })

  it('lets pods reach only public addresses and the listed private ones', () => {
    const { egress, policyTypes } = of('NetworkPolicy', '').spec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    const [names, open, ...listed] = egress
    expect(names.ports.map(({ port }: { port: number }) => port)).toEqual([53, 53])
    expect(open.to[0].ipBlock.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']),
    )
    expect(listed).toEqual(example.networkPolicy.privateEgress)
  })

  it('separates the paths of clients, operators and the providers', () => {
    const paths = ['-public', '-operators', '-identity-provider', '-provider'].map((name) => {
      const { rules, tls } = of('Ingress', name).spec
      expect(rules[0].host).toBe('verify.example.com')
      expect(tls[0].hosts).toEqual(['verify.example.com'])
      return rules[0].http.paths.map(({ path }: { path: string }) => path)
    })
    expect(paths).toEqual([
      ['/'],
      ['/console', '/operator'],
      ['/console/sso/backchannel_logout', '/scim'],
      ['/provider'],
    ])
  })

  it.each([
    ['no image', { image: { repository: '' } }, /image\/repository/],
    ['no Secret', { secretName: '' }, /secretName/],
    ['no address of Temporal', { settings: { PUBLIC_URL: 'https://x.example' } }, /TEMPORAL_ADDRESS/],
    ['a secret as a setting', { settings: { ...example.settings, HASH_KEY: 'x' } }, /settings/],
    ['a port that the chart sets', { settings: { ...example.settings, PORT: '1' } }, /settings/],
    ['no rule for PostgreSQL', { networkPolicy: { privateEgress: [] } }, /privateEgress/],
    ['a misspelt value', { replica: 3 }, /replica/],
    ['a misspelt setting', { settings: { ...example.settings, SCREENNING: 'off' } }, /SCREENNING/],
    ['the password of a mail server', { settings: { ...example.settings, SMTP_URL: 'x' } }, /SMTP_URL/],
    ['headers of traces', { settings: { ...example.settings, OTEL_EXPORTER_OTLP_HEADERS: 'x' } }, /settings/],
    ['no volume for backups', { backup: { enabled: true } }, /volumeClaim/],
  ])('refuses values with %s', async (_, values, reason) => {
    await expect(render({ ...example, ...values })).rejects.toThrow(reason)
  })
})
