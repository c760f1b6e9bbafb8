/** Component: a field or document whose correction a reviewer has requested. */
import type { ComponentChildren } from 'preact'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Glyph } from '../../components/glyph.tsx'
import type { Frame } from '../../components/layout.tsx'

interface FixBoxProps {
  readonly frame: Frame
  readonly title: string
  /** The page on which the applicant can dispute the comment, or null. */
  readonly replyHref: string | null
  /** The field with the comment. */
  readonly children: ComponentChildren
}

/** Shows the field in a box. The box must be in the form that saves the field. */
export const FixBox = ({ frame: { t }, title, replyHref, children }: FixBoxProps) => (
  <div class="fix">
    <p class="fix-head">
      <Glyph state="warning" />
      <strong>{title}</strong>
      <span class="quiet small">{t('revision.toFix')}</span>
    </p>
    {children}
    <div class="actions">
      <Button>{t('revision.save')}</Button>
      {replyHref === null ? null : (
        <ButtonLink kind="secondary" href={replyHref}>
          {t('revision.reply')}
        </ButtonLink>
      )}
    </div>
  </div>
)
