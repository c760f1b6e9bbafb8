/** Component: the flag of a country, next to the country's name. */
import { FLAGS, flagPath } from '../assets/assets.ts'

interface FlagProps {
  /** An ISO 3166-1 alpha-2 code. */
  readonly country: string | null | undefined
  /** The name of the country. Omit it if the name is next to the flag. */
  readonly label?: string
}

/** Renders the flag, or nothing if the country has no flag. */
export const Flag = ({ country, label = '' }: FlagProps) =>
  country && FLAGS.has(country) ? (
    <img class="flag" src={flagPath(country)} alt={label} width={20} height={13} loading="lazy" />
  ) : null
