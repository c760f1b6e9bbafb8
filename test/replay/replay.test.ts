/** Tests that open workflows continue with the current code, by replaying committed histories. */
import { readdirSync, readFileSync } from 'node:fs'
import { Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { bundleWithRules } from '../support/changed-rules.ts'
import { installRuntimeOnce } from '../support/instance.ts'

const FOLDER = new URL('./histories/', import.meta.url)
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

installRuntimeOnce('silent')

describe('a replay', () => {
  const workflowBundle = { codePath: inject('workflowBundle') }

  test.each(FILES)('accepts %s', async (file) => {
    await Worker.runReplayHistory({ workflowBundle }, JSON.parse(read(file)))
  })

  test('detects a history that the current code would not produce', async () => {
    const text = read('kyb-open.json')
    const changed = text.replaceAll('loadKybApplication', 'somethingElse')
    expect(changed).not.toBe(text)
    await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(changed))).rejects.toThrow()
  })
})

describe('a replay with different rules', () => {
  const asked = () => {
    throw new Error('a rule ran in a replay')
  }
  let workflowBundle: { code: string }
  beforeAll(async () => {
    workflowBundle = {
      code: await bundleWithRules({
        'kyb/application.ts': { decideKyb: asked, kybEnded: asked, kybWaitingOn: asked, parseKybFact: asked },
        'identification/identification.ts': {
          decideIdentification: asked,
          identificationEnded: asked,
          identificationStatus: asked,
          parseFact: asked,
        },
      }),
    }
  })

  test.each(FILES)('accepts %s', async (file) => {
    await Worker.runReplayHistory({ workflowBundle }, JSON.parse(read(file)))
  })
})
