/** Writes, checks and publishes profiles in tests. */
import { expect } from 'vitest'
import type { addVault } from './instance.ts'

export type Row = Record<string, unknown>

export const text = (words: string) => ({ en: words, de: words })

/** Returns a row that adds a field. */
export const row = (name: string, more: Row = {}): Row => ({
  path: `additional.${name}`,
  section: 'nature_of_business',
  type: 'short_text',
  label: text(name),
  ...more,
})

/** Returns the members of a row with choices that have labels. */
export const labelled = (type: 'one_of' | 'some_of', values: readonly string[]) => ({
  type,
  values,
  value_labels: Object.fromEntries(values.map((value) => [value, text(value.toUpperCase())])),
})

export const documentOf = (
  company: readonly Row[] = [],
  beneficiary: readonly Row[] = [],
  person: readonly Row[] = [],
) => ({ company: { rows: company }, beneficiary: { rows: beneficiary }, person: { rows: person } })

/** Returns functions for the profiles of a vault. */
export async function profilesOf(vault: Awaited<ReturnType<typeof addVault>>) {
  const operator = await vault.operator()
  const path = `/vaults/${vault.vaultId}/profile`
  const draft = (value: object) => operator.put(`${path}/draft`, { document: value })
  return {
    operator,
    path,
    draft,
    /** Returns the problems of a draft, each as its place and code. */
    problems: async (value: object): Promise<string[]> => {
      expect((await draft(value)).status).toBe(200)
      const { body } = await operator.post(`${path}/draft/check`)
      return body.data.problems.map(({ path: place, code }: Row) => `${place}: ${code}`)
    },
    publish: async (value: object, body: object = {}) => {
      expect((await draft(value)).status).toBe(200)
      return operator.post(`${path}/draft/publish`, body)
    },
  }
}
