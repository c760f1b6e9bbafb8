/** Rules for the German words that explain a profile. */
import { counted, type Words } from './vocabulary.ts'

export const de: Words = {
  and: ' und ',
  or: ' oder ',
  not: (condition) => `nicht (${condition})`,
  quoted: (text) => `„${text}“`,
  yesOrNo: (value) => (value ? 'Ja' : 'Nein'),
  tests: {
    is: (field, by) => `${field} gleich ${by} ist`,
    isNot: (field, by) => `${field} nicht ${by} ist`,
    in: (field, by) => `${field} gleich ${by} ist`,
    has: (field, by) => `${field} die Angabe ${by} enthält`,
    at_least: (field, by) => `${field} mindestens ${by} beträgt`,
    below: (field, by) => `${field} unter ${by} liegt`,
    older_than: (field, by) => `${field} mindestens ${by} zurückliegt`,
  },
  given: (field, isGiven) => `${field} ${isGiven ? 'beantwortet ist' : 'nicht beantwortet ist'}`,
  period: { Y: counted('Jahr', 'Jahre'), M: counted('Monat', 'Monate'), D: counted('Tag', 'Tage') },
  groups: {
    EU: 'ein Land der EU',
    EEA: 'ein Land des EWR',
    high_risk: 'ein Land mit hohem Risiko',
    no_postcode: 'ein Land ohne Postleitzahlen',
  },
  never: 'nie',
  always: 'immer',
  rows: {
    required: 'Immer erforderlich',
    optional: 'Freiwillig',
    requiredIf: (condition) => `Erforderlich, wenn ${condition}.`,
    askedIf: (condition) => `Gefragt, wenn ${condition}.`,
    optionalIf: (condition) => `Freiwillig, gefragt, wenn ${condition}.`,
    notAsked: 'Sonst nicht gefragt.',
    otherwiseOptional: 'Sonst freiwillig.',
  },
}
