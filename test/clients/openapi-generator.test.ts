/**
 * Tests the API reference with clients that openapi-generator and oapi-codegen generate, and the API with the runtime of
 * Kiota. The clients parse every example of the reference, and make real calls.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless, missingProgram } from '../support/available.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { downloadJars } from '../support/maven-jars.ts'
import { pdfOf } from '../support/pdf.ts'
import { createPerson } from '../support/people.ts'
import { installPythonPackage } from '../support/python-package.ts'

const run = promisify(execFile)
const GENERATOR = 'org/openapitools/openapi-generator-cli/7.17.0/openapi-generator-cli-7.17.0.jar'
/** The generator, which contains most libraries of the Java client, and the others. */
const { missing: missingJars, jars } = await downloadJars({
  [GENERATOR]: '25d6bd8273dd2be99979d544b62ea43f0ce1975f1aa582678b5093d1e7fcfce8',
  'org/openapitools/jackson-databind-nullable/0.2.7/jackson-databind-nullable-0.2.7.jar':
    'fa49716778f0eb2ad09a721dfaddb578c920a4dea59c1f8b9fceee8cbe4bb9f8',
  'jakarta/annotation/jakarta.annotation-api/1.3.5/jakarta.annotation-api-1.3.5.jar':
    '85fb03fc054cdf4efca8efd9b6712bbb418e1ab98241c4539c8585bbc23e1b8a',
  'org/apache/httpcomponents/httpmime/4.5.14/httpmime-4.5.14.jar':
    'd401243d5c6eae928a37121b6e819158c8c32ea0584793e7285bb489ab2a3d17',
})
const missingJava = missingJars ?? missingProgram('A Java development kit', 'javac', '-version')
const missingGo = missingProgram('Go', 'go', 'version')
/** The libraries of the Python client, in one environment. */
const python = await installPythonPackage('pydantic', '2.14.4', '', [
  'urllib3==2.8.0',
  'python-dateutil==4.0.0',
])

/** The generator is not in a package registry, but the runtime is, which sends and reads everything. */
const kiota = await installPythonPackage('microsoft-kiota-bundle', '1.16.0')

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-generated-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const sourceOf = (name: string) => new URL(`programs/${name}`, import.meta.url)
const gatehouse = await startInstance()
afterAll(gatehouse.stop)
const base = { client: `${gatehouse.baseUrl}/v1`, operator: `${gatehouse.baseUrl}/operator/v1` } as const
for (const [audience, url] of Object.entries(base))
  writeFileSync(join(folder, `${audience}.json`), await (await fetch(`${url}/openapi.json`)).text())
writeFileSync(join(folder, 'register.pdf'), pdfOf('Register'))

let abandoned: string
beforeAll(async () => {
  await gatehouse.startWorker()
  abandoned = await gatehouse.api.createKyb()
  const { identification_id } = (await gatehouse.api.get(`/kyb/${abandoned}`)).body.data
  await gatehouse.api.put(`/identifications/${identification_id}/close`)
  await eventually(async () =>
    expect((await gatehouse.api.get(`/kyb/${abandoned}`)).body.data.status.abandoned).toBe(true),
  )
})

/** Generates a client of one API into a new folder. */
async function generate(generator: string, audience: string, ...options: string[]): Promise<string> {
  const output = join(folder, `${generator}-${audience}`)
  const args = ['-jar', jars[0] ?? '', 'generate', '-i', join(folder, `${audience}.json`), '-g', generator]
  await run('java', [...args, '-o', output, ...options])
  return output
}

/** Runs the client's program, and checks the values that it read. */
async function expectCalls(
  command: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
  cwd = folder,
) {
  const external_id = unique()
  const { email, oneTimePassword } = await createPerson(gatehouse, {
    vaults: [{ id: gatehouse.vaultId, roles: ['api_read'] }],
  })
  const env = {
    ...process.env,
    ...more,
    BASE: base.client,
    KEY: gatehouse.credentials.api_key,
    FILE: join(folder, 'register.pdf'),
    EXTERNAL_ID: external_id,
    ABANDONED: abandoned,
    EMAIL: email,
    PASSWORD: oneTimePassword,
  }
  const { stdout } = await run(command, args, { env, cwd })
  const expected = [external_id, 'Example GmbH', 'register.pdf', 'external_id_taken', true, true]
  expect(JSON.parse(stdout)).toEqual(expected)
}

/** Parses each JSON example with the model that belongs to its schema, and prints the failures. */
const PARSE_EXAMPLES = `
import json, os, sys
sys.path.insert(0, os.environ["CLIENT"])
import openapi_client.models as models
document = json.load(open(os.environ["DOCUMENT"]))
parsed, failures = 0, []
paths = [*document["paths"].values(), *document.get("webhooks", {}).values()]
for operation in [each for path in paths for each in path.values()]:
    for part in [operation.get("requestBody", {}), *operation["responses"].values()]:
        content = part.get("content", {}).get("application/json")
        name = content and content["schema"].get("$ref", "").split("/")[-1]
        model = name and getattr(models, name, None)
        if not model:
            continue
        parsed += 1
        try:
            model.from_dict(content["example"])
        except Exception as problem:
            failures.append([operation["operationId"], name, str(problem)[:200]])
print(json.dumps({"parsed": parsed, "failures": failures}))
`

describeUnless(missingJava ?? python.missing, 'Python clients that openapi-generator generates', () => {
  test.each(['client', 'operator'])('parse all examples of the %s API', async (audience) => {
    const CLIENT = await generate('python', audience)
    const env = { ...process.env, CLIENT, DOCUMENT: join(folder, `${audience}.json`) }
    const { stdout } = await run(python.bin('python3'), ['-c', PARSE_EXAMPLES], { env })
    const { parsed, failures } = JSON.parse(stdout)
    expect(failures).toEqual([])
    expect(parsed).toBeGreaterThan(400)
    if (audience === 'client')
      await expectCalls(python.bin('python3'), [sourceOf('calls.py').pathname], { CLIENT })
  })
})

describeUnless(missingJava, 'a Java client that openapi-generator generates', () => {
  test('compiles and makes calls', async () => {
    const output = await generate('java', 'client', '--library', 'native')
    const main = join(output, 'src', 'main', 'java')
    const files = readdirSync(main, { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => file.endsWith('.java')).map((file) => join(main, file))
    const list = join(output, 'sources')
    writeFileSync(list, [...sources, sourceOf('Calls.java').pathname].join('\n'))
    const classes = join(output, 'classes')
    const libraries = jars.join(':')
    await run('javac', ['-nowarn', '-proc:none', '-d', classes, '-cp', libraries, `@${list}`])
    await expectCalls('java', ['-cp', `${classes}:${libraries}`, 'Calls'])
  })
})

describeUnless(kiota.missing, 'the runtime of Python clients that Kiota generates', () => {
  test('makes calls', () => expectCalls(kiota.bin('python3'), [sourceOf('kiota.py').pathname]))
})

const goModule = (name: string) => new URL(`go/${name}`, import.meta.url)

describeUnless(missingJava ?? missingGo, 'a Go client that openapi-generator generates', () => {
  test('compiles and makes calls', async () => {
    const prefix = '--additional-properties=enumClassPrefix=true'
    const output = await generate('go', 'client', prefix)
    rmSync(join(output, 'test'), { recursive: true })
    copyFileSync(goModule('go.mod'), join(output, 'go.mod'))
    copyFileSync(goModule('go.sum'), join(output, 'go.sum'))
    await run('go', ['mod', 'edit', '-module', 'gatehouse.test/generated'], { cwd: output })
    mkdirSync(join(output, 'calls'))
    copyFileSync(sourceOf('calls.go'), join(output, 'calls', 'main.go'))
    await expectCalls('go', ['run', './calls'], {}, output)
  })
})

describeUnless(missingGo, 'Go clients that oapi-codegen generates', () => {
  test.each(['client', 'operator'])('compile, and make calls to the %s API', async (audience) => {
    const output = join(folder, `oapi-${audience}`)
    mkdirSync(output)
    for (const file of ['go.mod', 'go.sum']) copyFileSync(goModule(file), join(output, file))
    const name = audience === 'client' ? 'main' : 'operator'
    const options = ['-generate', 'types,client,skip-prune', '-package', name, '-o', 'client.go']
    await run('go', ['tool', 'oapi-codegen', ...options, join(folder, `${audience}.json`)], { cwd: output })
    if (audience === 'client') {
      copyFileSync(sourceOf('oapi.go'), join(output, 'main.go'))
      await expectCalls('go', ['run', '.'], {}, output)
    } else await run('go', ['build', '.'], { cwd: output })
  })
})
