/** Rules for the words of each language that explain a profile to administrators. */
import type { TestName } from '../fields/condition.ts'
import type { Part } from './document.ts'

export type Unit = 'Y' | 'M' | 'D'
export interface Words {
  readonly and: string
  readonly or: string
  readonly not: (condition: string) => string
  readonly quoted: (text: string) => string
  readonly yesOrNo: (value: boolean) => string
  readonly tests: Readonly<Record<Exclude<TestName, 'given'>, (field: string, by: string) => string>>
  readonly given: (field: string, isGiven: boolean) => string
  readonly period: Readonly<Record<Unit, (count: number) => string>>
  readonly groups: Readonly<Record<string, string>>
  readonly never: string
  readonly always: string
  readonly rows: {
    readonly required: string
    readonly optional: string
    readonly requiredIf: (condition: string) => string
    readonly askedIf: (condition: string) => string
    readonly optionalIf: (condition: string) => string
    readonly notAsked: string
    readonly otherwiseOptional: string
  }
  readonly differences: {
    readonly added: string
    readonly changed: string
    readonly removed: string
    /** The end of the title of a row, for each part. */
    readonly parts: Readonly<Record<Part, string>>
    /** Answers to a removed question. */
    readonly kept: string
    readonly ask: string
    /** The names of the properties of a row. */
    readonly members: Readonly<Record<string, string>>
  }
}

/** Returns a number with its noun. */
export const counted = (one: string, many: string) => (count: number) =>
  `${count} ${count === 1 ? one : many}`
