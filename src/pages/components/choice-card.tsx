/** Component: a choice as a card, either with a radio button or as a link. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ChoiceCardProps {
  readonly name: string
  readonly value: string
  readonly label: ComponentChildren
  readonly text?: ComponentChildren | undefined
  readonly icon?: IconName | undefined
  readonly checked?: boolean
  readonly disabled?: boolean
  readonly required?: boolean
}

/** Renders a card with a radio button. The whole card is the label of the button. */
export const ChoiceCard = ({ label, text, icon, ...input }: ChoiceCardProps) => (
  <label class="choice-card" {...(input.disabled && { 'aria-disabled': 'true' })}>
    <input type="radio" {...input} />
    <CardText label={label} text={text} icon={icon} />
  </label>
)

interface ChoiceLinkProps extends Pick<ChoiceCardProps, 'label' | 'text' | 'icon'> {
  readonly href: string
  readonly isChosen: boolean
}

/** Renders a card that links to the content of the choice, so that the card works without scripts. */
export const ChoiceLink = ({ href, isChosen, label, text, icon }: ChoiceLinkProps) => (
  <a class="choice-card" href={href} {...(isChosen && { 'aria-current': 'true' })}>
    <span class="choice-dot" />
    <CardText label={label} text={text} icon={icon} />
  </a>
)

const CardText = ({ label, text, icon }: Pick<ChoiceCardProps, 'label' | 'text' | 'icon'>) => (
  <>
    <span class="choice-card-name">{label}</span>
    {icon ? <Icon name={icon} size={20} /> : <span />}
    {text ? <span class="choice-card-text">{text}</span> : null}
  </>
)
