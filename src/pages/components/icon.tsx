/** Component: an icon next to a word. Screen readers skip the icon. */
import { ICONS } from './icons.ts'

export type IconName = keyof typeof ICONS

/** The icons that depend on the reading direction. They are mirrored if the page is written from right to left. */
const MIRRORED: readonly string[] = ['arrow-left', 'arrow-right', 'chevron-left', 'chevron-right', 'undo-2']

export const Icon = ({ name, size = 16 }: { name: IconName; size?: 14 | 16 | 20 | 24 }) => (
  <svg
    class={MIRRORED.includes(name) ? 'icon icon-mirrored' : 'icon'}
    viewBox="0 0 24 24"
    width={size}
    height={size}
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: ICONS[name] }}
  />
)
