/** Removes characters that no one can see, so that a text is compared and shown as one and the same. */

/** Joiners between letters of scripts that need them, and variants of letters, of Chinese characters, emoji and flags. */
const NEEDED =
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{M}])[\u200c\u200d]|(?<=\p{Script=Mongolian})[\u180b-\u180f]|(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)[\ufe0f\u200d]|(?<=[\d#*])\ufe0f(?=\u20e3)|(?<=\u{1f3f4}[\u{e0061}-\u{e007a}]{0,5})[\u{e0061}-\u{e007a}\u{e007f}]/u

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb\u2800]/u

const UNNEEDED = new RegExp(`(${NEEDED.source})|${INVISIBLE.source}`, 'gu')

/**
 * Removes direction marks and invisible characters, and replaces rare line separators with usual ones. Joiners stay where a
 * script needs them.
 */
export const cleanText = (text: string): string =>
  text.replace(/[\u2028\u2029]/g, '\n').replace(UNNEEDED, (_, needed = '') => needed)

/** Removes control characters as well, for texts of one line such as file names. */
export const cleanLine = (text: string): string =>
  cleanText(text.replace(/[\n\r\t\u2028\u2029]/g, ' ')).replace(/\p{Cc}/gu, '')

/** Matches all invisible characters, which comparisons must ignore. */
export const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

const DIGIT = /\p{Nd}/u

/** Converts signs of full width, and digits of any script, to those of ASCII. A script's digits follow each other. */
export const asciiDigits = (text: string): string =>
  text
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) as number
      let value = 0
      while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1
      return String(value)
    })
