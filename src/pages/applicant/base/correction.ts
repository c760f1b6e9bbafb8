/** Builds the texts about requested corrections for applicants. */
import type { Correction } from '../../../domain/decision/decision.ts'
import type { Frame } from '../../components/layout.tsx'
import { isTextName } from '../../texts/index.ts'

/**
 * Returns the text of the corrections at the path, or null if there are none. Each comment is on a separate line. `nameOf`
 * names the document if a list has several.
 */
export function correctionText(
  frame: Pick<Frame, 't'>,
  corrections: readonly Correction[],
  path: string,
  nameOf: (fileId: string) => string | undefined = () => undefined,
): string | null {
  const texts = corrections
    .filter((each) => each.path === path)
    .map((each) => {
      const file = each.fileId === undefined ? undefined : nameOf(each.fileId)
      return [file && `${file}:`, wordsOf(frame, each)].filter(Boolean).join(' ')
    })
  return texts.length > 0 ? texts.join('\n') : null
}

/** Returns the finding with its quoted comment, or else the comment or the reason of the decision. */
function wordsOf({ t }: Pick<Frame, 't'>, { code, message, path }: Correction): string {
  const quote = message ? t('correction.quote', { message }) : null
  // A photo of a face has no text that could be readable.
  const finding = [`finding.${code}.${path}`, `finding.${code}`].find(isTextName)
  if (finding !== undefined) return [t(finding), quote].filter(Boolean).join('\n')
  const reason = `reason.${code}`
  return quote ?? t(isTextName(reason) ? reason : 'correction.text')
}
