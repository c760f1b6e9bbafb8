/** Workflows that are under way must go on with today's code: committed histories are replayed. */
import { readdirSync, readFileSync } from 'node:fs'
import { Worker } from '@temporalio/worker'
import { describe, expect, inject, test } from 'vitest'
import { createLogger } from '../../src/log.ts'
import { installRuntime } from '../../src/temporal/workers.ts'

const FOLDER = new URL('./histories/', import.meta.url)
const files = readdirSync(FOLDER)

describe('replay', () => {
  installRuntime(createLogger('silent', 'replay'))
  const workflowBundle = { codePath: inject('workflowBundle') }

  test.each(files)('%s', async (file) => {
    const history = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))
    await Worker.runReplayHistory({ workflowBundle }, history)
  })

  test('a history that today\u2019s code would not have made is noticed', async () => {
    const text = readFileSync(new URL('kyb-open.json', FOLDER), 'utf8')
    const changed = text.replaceAll('applyKybCommands', 'somethingElse')
    expect(changed).not.toBe(text)
    await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(changed))).rejects.toThrow()
  })
})
