/** Component: buttons that show the decision form in another state, or lead back to the case. */
import type { ComponentChildren } from 'preact'
import { Button, type ButtonKind } from '../../components/button.tsx'
import { DECISION_FORM } from './finding.tsx'
import type { DecisionProps } from './view.tsx'

/** Returns the attributes of a button that shows the form again with the entered values. */
export const preparing = (base: string) => ({ formaction: `${base}/decision/prepare`, formnovalidate: true })

/** Returns the attributes of a button outside the form that opens the form with an outcome. */
export const decideAttributes = (base: string, outcome: string) => ({
  form: DECISION_FORM,
  ...preparing(base),
  name: 'decide',
  value: outcome,
  'data-decide': outcome,
})

interface BackButtonProps extends Pick<DecisionProps, 'base' | 'isAlone'> {
  readonly kind: ButtonKind
  readonly children: ComponentChildren
}

/** Leads back to the case with the entered values. Closes the drawer if the case is on the same page. */
export const BackButton = ({ base, isAlone, kind, children }: BackButtonProps) => (
  <Button
    kind={kind}
    {...(isAlone
      ? { name: 'decide', value: '', ...preparing(base) }
      : { type: 'button', 'data-close': true })}
  >
    {children}
  </Button>
)
