/** Workflows that are under way must go on with today's code: committed histories are replayed. */
import { readdirSync, readFileSync } from 'node:fs'
import { Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { bundleWithRules } from '../support/changed-rules.ts'
import { installRuntimeOnce } from '../support/instance.ts'

const FOLDER = new URL('./histories/', import.meta.url)
/** Of when workflows asked the rules under their lock: they can be replayed by those rules alone. */
const ASKING = new URL('./histories/asking-rules/', import.meta.url)
const filesIn = (folder: URL) => readdirSync(folder).filter((name) => name.endsWith('.json'))
const read = (folder: URL, file: string) => readFileSync(new URL(file, folder), 'utf8')

installRuntimeOnce('silent')

describe('replay', () => {
  const workflowBundle = { codePath: inject('workflowBundle') }

  test.each([FOLDER, ASKING].flatMap((folder) => filesIn(folder).map((file) => ({ file, folder }))))(
    '$file',
    async ({ file, folder }) => {
      await Worker.runReplayHistory({ workflowBundle }, JSON.parse(read(folder, file)))
    },
  )

  test('a history that today\u2019s code would not have made is noticed', async () => {
    const text = read(ASKING, 'kyb-open.json')
    const changed = text.replaceAll('applyKybCommands', 'somethingElse')
    expect(changed).not.toBe(text)
    await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(changed))).rejects.toThrow()
  })
})

describe('replay with other rules', () => {
  const asked = () => {
    throw new Error('a rule was asked in a replay')
  }
  let workflowBundle: { code: string }
  beforeAll(async () => {
    workflowBundle = {
      code: await bundleWithRules({
        'kyb-application.ts': { decideKyb: asked, kybEnded: asked, kybWaitingOn: asked, parseKybFact: asked },
        'identification.ts': {
          decideIdentification: asked,
          identificationEnded: asked,
          identificationStatus: asked,
          parseFact: asked,
        },
      }),
    }
  })

  test.each(filesIn(FOLDER))('%s', async (file) => {
    await Worker.runReplayHistory({ workflowBundle }, JSON.parse(read(FOLDER, file)))
  })

  test('a history of when workflows asked the rules is noticed', async () => {
    const history = JSON.parse(read(ASKING, 'kyb-raced.json'))
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).rejects.toThrow()
  })
})
