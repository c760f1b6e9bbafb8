/** Component: the initials of a person. The full name is next to the initials or in their label. */

interface AvatarProps {
  /** A name or an email address. */
  readonly name: string
  readonly isSmall?: boolean
  /** If true, the name determines the colour. */
  readonly isColoured?: boolean
}

/** Returns the initials of the first and the last word. */
function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends.map((word = '') => [...word][0]?.toUpperCase()).join('')
}

/** Returns a number from 1 to 4, which is always the same for the same name. */
const colourOf = (name: string): number =>
  ([...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 4) + 1

export const Avatar = ({ name, isSmall = false, isColoured = false }: AvatarProps) => (
  <span
    class={['avatar', isSmall && 'avatar-small', isColoured && `avatar-${colourOf(name)}`]
      .filter(Boolean)
      .join(' ')}
    aria-hidden="true"
  >
    {initialsOf(name)}
  </span>
)
