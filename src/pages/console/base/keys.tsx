/** Component: the list of keyboard shortcuts. `src/pages/scripts/keys.js` implements them. */
import { Button } from '../../components/button.tsx'
import type { Translate } from '../../texts/index.ts'

const KEYS = {
  list: ['j', 'k', '↓', '↑'],
  search: ['/'],
  next: ['n'],
  cases: [',', '.'],
  take: ['m'],
  approve: ['a'],
  flag: ['f'],
  reject: ['r'],
  revise: ['v'],
  documents: ['[', ']'],
  leave: ['Esc'],
  send: ['Ctrl + Enter'],
  help: ['?'],
} as const

export const Keys = ({ t }: { t: Translate }) => (
  <dialog id="keys" class="keys" aria-labelledby="keys-title">
    <div class="drawer-head">
      <h2 id="keys-title">{t('console.keys')}</h2>
    </div>
    <dl class="values">
      {(Object.keys(KEYS) as (keyof typeof KEYS)[]).map((name) => (
        <div key={name}>
          <dt>
            {KEYS[name].map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{t(`console.keys.${name}`)}</dd>
        </div>
      ))}
    </dl>
    <div class="drawer-foot">
      <label class="choice">
        <input type="checkbox" id="keys-on" />
        <span>{t('console.keys.on')}</span>
      </label>
      <form method="dialog">
        <Button kind="secondary">{t('console.keys.close')}</Button>
      </form>
    </div>
  </dialog>
)
