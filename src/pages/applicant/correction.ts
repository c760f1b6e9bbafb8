/** Builds the texts about requested corrections for applicants. */
import type { Correction } from '../../domain/decision/decision.ts'
import type { Frame } from '../components/layout.tsx'
import { isTextName } from '../texts/index.ts'

/**
 * Returns the text of the corrections at the path, or null if there are none. `nameOf` names the document if a list has
 * several.
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
  return texts.length > 0 ? texts.join(' ') : null
}

/**
 * Returns the text of the finding with its comment. Without a finding, returns the comment, or the decision's reason if
 * there is no comment.
 */
function wordsOf({ t }: Pick<Frame, 't'>, { code, message }: Correction): string {
  const finding = `finding.${code}`
  if (isTextName(finding)) return [t(finding), message].filter(Boolean).join(' ')
  const reason = `reason.${code}`
  return message ?? t(isTextName(reason) ? reason : 'correction.text')
}
