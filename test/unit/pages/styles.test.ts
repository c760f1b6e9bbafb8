/** Tests that the style sheets and the pages use the same names. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { AREAS, assetFiles, assetPath } from '../../../src/pages/assets/assets.ts'

const PAGES = new URL('../../../src/pages/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, PAGES), 'utf8')
const names = readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
const join = (ending: RegExp) =>
  names
    .filter((name) => ending.test(name))
    .map(read)
    .join('\n')

const styles = join(/\.css$/).replaceAll(/\/\*.*?\*\//gs, '')
const sources = join(/\.(tsx?|js)$/)
const findAll = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? '')),
]

test('the style sheets have no rule for a class that no page uses', () => {
  const words = new Set(sources.match(/[\w-]+/g))
  const prefixes = findAll(sources, /([a-z][\w-]*-)\$\{/g)
  const isUsed = (name: string) => words.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  expect(findAll(styles, /\.([a-z][\w-]*)(?=[^{};]*\{)/g).filter((name) => !isUsed(name))).toEqual([])
})

test('each custom property is declared and used', () => {
  const declared = new Set(findAll(styles, /(--[\w-]+):/g))
  const used = findAll(styles + sources, /var\((--[\w-]+)\)/g)
  expect(used.filter((name) => !declared.has(name))).toEqual([])
  expect([...declared].filter((name) => !used.includes(name))).toEqual([])
})

test('each page loads less than 40 kB of style sheets', async () => {
  const server = express().use(assetFiles()).listen(0)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sizeOf = async (name: string) => {
    const response = await fetch(`${origin}${assetPath(`${name}.css`)}`)
    expect(response.status, name).toBe(200)
    return (await response.arrayBuffer()).byteLength
  }
  for (const look of ['hosted', 'console'] as const)
    for (const area of [null, ...AREAS[look].map(([, sheet]) => sheet)]) {
      const sizes = await Promise.all(['base', look, area ?? []].flat().map(sizeOf))
      expect(
        sizes.reduce((sum, size) => sum + size),
        `${look} ${area}`,
      ).toBeLessThan(40_000)
    }
})
