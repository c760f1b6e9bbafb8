/** Measures how many entries of lists the screening finds under other spellings, and how many others it takes for them. */
import { readFileSync } from 'node:fs'
import type { ListEntry, Subject } from '../src/domain/screening/screening.ts'
import { createListIndex } from '../src/screening/list-index.ts'
import { scoreOf, scoreParts } from '../src/screening/score.ts'

export interface Pair {
  readonly kind: string
  /** Whether both names belong to one person or company. */
  readonly isSame: boolean
  readonly subject: Subject
  readonly entry: ListEntry
}

const THRESHOLD = 0.7

/** Reads the pairs from their file, which explains its format. */
export function readPairs(): Pair[] {
  const text = readFileSync(new URL('./screening-pairs.txt', import.meta.url), 'utf8')
  const pairs: Pair[] = []
  let kind = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) kind = line.slice(3)
    const [, letter, sign, own = '', listed = ''] = /^([PC]) ([=!]) (.+) \/\/ (.+)$/.exec(line) ?? []
    if (sign)
      pairs.push({
        kind,
        isSame: sign === '=',
        ...sidesOf(letter === 'P' ? 'person' : 'company', own, listed),
      })
  }
  return pairs
}

function sidesOf(kind: 'person' | 'company', own: string, listed: string): Pick<Pair, 'subject' | 'entry'> {
  const [mine, theirs] = [own, listed].map((side) => {
    const [names = '', date = '', countries = '', number = ''] = side.split(';').map((part) => part.trim())
    const some = (text: string, separator: string) =>
      text
        .split(separator)
        .map((each) => each.trim())
        .filter(Boolean)
    return {
      names: some(names, '|'),
      dates: some(date, ','),
      countries: some(countries, ','),
      numbers: some(number, ','),
    }
  }) as [Side, Side]
  const [birthDate, registrationNumber] = [mine.dates[0], mine.numbers[0]]
  return {
    subject: {
      key: kind,
      kind,
      names: mine.names,
      countries: mine.countries,
      ...(birthDate !== undefined && { birthDate }),
      ...(registrationNumber !== undefined && { registrationNumber }),
    },
    entry: {
      id: listed,
      caption: theirs.names[0] ?? '',
      kind,
      names: theirs.names,
      weakNames: [],
      birthDates: theirs.dates,
      countries: theirs.countries,
      registrationNumbers: theirs.numbers,
      topics: ['sanction'],
      datasets: [],
    },
  }
}

interface Side {
  readonly names: string[]
  readonly dates: string[]
  readonly countries: string[]
  readonly numbers: string[]
}

/** Returns whether screening reports the entry of the pair. */
export function isFound({ subject, entry }: Pair): boolean {
  const index = createListIndex()
  index.add(entry)
  return index.candidates(subject, THRESHOLD).some((each) => scoreOf(scoreParts(subject, each)) >= THRESHOLD)
}

export interface Count {
  readonly kind: string
  readonly same: number
  readonly found: number
  readonly others: number
  readonly falseAlarms: number
}

/** Counts the pairs of each kind, and those that screening reports. */
export function countByKind(pairs: readonly Pair[], found: (pair: Pair) => boolean = isFound): Count[] {
  const kinds = [...new Set(pairs.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const all = pairs.filter((pair) => pair.kind === kind)
    const [same, others] = [all.filter(({ isSame }) => isSame), all.filter(({ isSame }) => !isSame)]
    return {
      kind,
      same: same.length,
      found: same.filter(found).length,
      others: others.length,
      falseAlarms: others.filter(found).length,
    }
  })
}

export const sumOf = (counts: readonly Count[]): Count =>
  counts.reduce(
    (sum, each) => ({
      kind: 'all',
      same: sum.same + each.same,
      found: sum.found + each.found,
      others: sum.others + each.others,
      falseAlarms: sum.falseAlarms + each.falseAlarms,
    }),
    { kind: 'all', same: 0, found: 0, others: 0, falseAlarms: 0 },
  )
