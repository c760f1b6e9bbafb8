/** Tests which bytes can be released immediately. */
import { expect, test } from 'vitest'
import { releaseMemory } from '../../../src/storage/memory.ts'

test('releases bytes with their own memory immediately', () => {
  const bytes = Buffer.from(new ArrayBuffer(70_000))
  releaseMemory(bytes)
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
})

test('keeps bytes that share their memory', () => {
  const whole = Buffer.from(new ArrayBuffer(70_000)).fill(1)
  releaseMemory(whole.subarray(1))
  const pooled = Buffer.from('pooled')
  releaseMemory(pooled)
  expect(whole.equals(Buffer.alloc(70_000, 1))).toBe(true)
  expect(pooled.toString()).toBe('pooled')
})
