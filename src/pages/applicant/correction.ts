/** What is to be mended, in the words in which applicants read it. */
import type { Correction } from '../../domain/decision/decision.ts'
import type { Frame } from '../components/layout.tsx'
import { isTextName } from '../texts/index.ts'

/** Null where nothing at the path is to be mended. `nameOf` says which document is meant, where there are several. */
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

/** A finding says what is wrong and may say more; a reason of the whole decision stands in for a comment. */
function wordsOf({ t }: Pick<Frame, 't'>, { code, message }: Correction): string {
  const finding = `finding.${code}`
  if (isTextName(finding)) return [t(finding), message].filter(Boolean).join(' ')
  const reason = `reason.${code}`
  return message ?? t(isTextName(reason) ? reason : 'correction.text')
}
