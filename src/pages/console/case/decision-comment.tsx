/** Component: the comment on a decision, with the templates of the vault. */
import { Button } from '../../components/button.tsx'
import { LANGUAGES } from '../../texts/index.ts'
import { preparing } from './decision-buttons.tsx'
import type { DecisionProps } from './view.tsx'

export function Comment(props: DecisionProps) {
  const { visit, base, templates, typed } = props
  const { t } = visit.frame
  return (
    <>
      <div class="field">
        <label for="client_comment">
          {t('console.comment')} <span class="optional">{t('page.optional')}</span>
        </label>
        <textarea id="client_comment" name="client_comment" rows={3} aria-describedby="client_comment-hint">
          {typed.client_comment}
        </textarea>
        <div class="comment-foot">
          <p class="hint" id="client_comment-hint">
            {t('console.comment.hint')}
          </p>
          {/* Opens the preview in a new tab, so that the typed text is not lost. */}
          <Button kind="link" formaction={`${base}/decision/preview`} formtarget="_blank" formnovalidate>
            {t('console.preview')}
          </Button>
        </div>
      </div>
      {templates.length > 0 ? <Templates {...props} /> : null}
    </>
  )
}

function Templates({ visit, base, templates }: DecisionProps) {
  const { t } = visit.frame
  const languages = [...new Set(templates.map(({ language }) => language))]
  return (
    <div class="field" data-templates>
      <label for="template">{t('console.template')}</label>
      <div class="actions joined">
        <select id="template" name="template">
          <option value="">{t('page.choose')}</option>
          {languages.map((language) => (
            <optgroup key={language} label={LANGUAGES[language]['language.name']}>
              {templates
                .filter((template) => template.language === language)
                .map(({ id, title, text }) => (
                  <option key={id} value={id} data-text={text}>
                    {title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
        <Button kind="secondary" {...preparing(base)} data-insert>
          {t('console.template.insert')}
        </Button>
      </div>
    </div>
  )
}
