/** Tests that the images have exact versions, and that a command can pin them by digest. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { IMAGE_FILES, imagesIn, isPinned, pinImages } from '../../../dev/images/images.ts'

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
const OLD = `sha256:${'0'.repeat(64)}`
const NEW = `sha256:${'1'.repeat(64)}`

test.each(IMAGE_FILES)('every image in %s has an exact version', (file) => {
  const images = imagesIn(read(file))
  expect(images).not.toEqual([])
  for (const image of images) expect(image).toMatch(/:\d+(\.\d+){1,2}(-[\w-]+)?(@sha256:[\da-f]{64})?$/)
})

test.each([
  ['FROM node:26.12.1-trixie-slim AS base', `FROM node:26.12.1-trixie-slim@${NEW} AS base`],
  ['    image: postgres:18.6', `    image: postgres:18.6@${NEW}`],
  [`  image: registry.example.com/a/b:1.2.3@${OLD}`, `  image: registry.example.com/a/b:1.2.3@${NEW}`],
  ['FROM base AS build', 'FROM base AS build'],
  ['  image: gatehouse:local', '  image: gatehouse:local'],
  ['# from node:20.1 to node:22.1', '# from node:20.1 to node:22.1'],
])('pins %j', (line, pinned) => {
  expect(pinImages(`a\n${line}\nb`, () => NEW)).toBe(`a\n${pinned}\nb`)
})

test('distinguishes images with a digest', () => {
  expect(imagesIn(`FROM a:1.0\nFROM b:1.0@${OLD} AS c\nFROM c`).map(isPinned)).toEqual([false, true])
})
