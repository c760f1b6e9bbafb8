/** Component: a filter form, which adds the chosen values to the address. */
import type { ComponentChildren } from 'preact'
import { Button } from '../../components/button.tsx'
import type { Frame } from '../../components/layout.tsx'

export type Option = readonly [value: string, text: string]

interface FilterFormProps {
  readonly frame: Frame
  readonly action: string
  readonly children: ComponentChildren
}

export const FilterForm = ({ frame, action, children }: FilterFormProps) => (
  <form action={action} class="filter-form">
    {children}
    <Button kind="secondary">{frame.t('console.filter.show')}</Button>
  </form>
)

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly chosen: string | undefined
  readonly options: readonly Option[]
}

export const Choice = ({ name, label, chosen = '', options }: ChoiceProps) => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    <select id={`filter-${name}`} name={name}>
      {options.map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  </div>
)

export const Day = ({ name, label, value }: { name: string; label: string; value: string }) => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    <input type="date" id={`filter-${name}`} name={name} value={value} />
  </div>
)
