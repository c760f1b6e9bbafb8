/** Component: buttons, and links that look like buttons. */
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

/** The style of a button. A page has at most one filled button, for its main action. */
export type ButtonKind = 'filled' | 'secondary' | 'tonal' | 'danger' | 'quiet' | 'link'

interface LookProps {
  readonly kind?: ButtonKind
  readonly icon?: IconName | undefined
  readonly endIcon?: IconName | undefined
  readonly children: ComponentChildren
}

const classOf = (kind: ButtonKind, more = ''): string =>
  ['button', kind === 'filled' ? '' : `button-${kind}`, more].filter(Boolean).join(' ')

const Label = ({ icon, endIcon, children }: Omit<LookProps, 'kind'>) => (
  <>
    {icon ? <Icon name={icon} /> : null}
    {children}
    {endIcon ? <Icon name={endIcon} /> : null}
  </>
)

type ButtonProps = LookProps & ButtonHTMLAttributes<HTMLButtonElement>

/** Renders a button that submits its form, unless `type` is set. */
export const Button = ({ kind = 'filled', icon, endIcon, children, class: more, ...rest }: ButtonProps) => (
  <button type="submit" class={classOf(kind, more as string)} {...rest}>
    <Label icon={icon} endIcon={endIcon}>
      {children}
    </Label>
  </button>
)

type ButtonLinkProps = LookProps & AnchorHTMLAttributes<HTMLAnchorElement>

export const ButtonLink = ({
  kind = 'filled',
  icon,
  endIcon,
  children,
  class: more,
  ...rest
}: ButtonLinkProps) => (
  <a class={classOf(kind, more as string)} {...rest}>
    <Label icon={icon} endIcon={endIcon}>
      {children}
    </Label>
  </a>
)

type IconButtonProps = Omit<ButtonProps, 'children' | 'icon' | 'endIcon'> & {
  readonly icon: IconName
  /** The name for screen readers, which is also the tooltip. */
  readonly label: string
}

export const IconButton = ({ kind = 'quiet', icon, label, class: more, ...rest }: IconButtonProps) => (
  <button
    type="submit"
    {...rest}
    class={classOf(kind, `button-icon ${more ?? ''}`.trim())}
    aria-label={label}
    title={label}
  >
    <Icon name={icon} size={20} />
  </button>
)

/** Renders a button without a style, such as an entry of a menu. */
export const PlainButton = ({ children, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button type="submit" {...rest}>
    {children}
  </button>
)
