/** Rules for the names of files. A name is shown and handed on, and is never used as a path. */

import { cleanText } from './clean-text.ts'
import { limitCombiningMarks } from './combining-marks.ts'
import type { ContentType } from './file.ts'

const MAX_LENGTH = 200
/** The endings of each type. Gatehouse adds the first one. */
const ENDINGS: Readonly<Record<ContentType, readonly string[]>> = {
  'application/pdf': ['pdf'],
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png'],
}
/** Looks like the ending of another type. A part of a name, such as `J.Lee` or `1.2024`, differs and remains. */
const FOREIGN_ENDING = /\.(?:[a-z][a-z0-9]{2,3}|[A-Z][A-Z0-9]{2,3})$/
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu

/**
 * Returns the name under which a file of this type is shown and handed on. Its ending is always that of the type.
 * Removes folders, and characters that control or reorder text.
 */
export function nameFile(given: string, type: ContentType): string {
  const visible = cleanText(limitCombiningMarks(given).normalize('NFC').replace(CONTROLS, ''))
  const name = trimEnd(visible.replace(/^.*[/\\]/s, '').trim())
  const stem = trimEnd(name.replace(FOREIGN_ENDING, ''))
  const isRight = (each: string) => ENDINGS[type].includes(endingOf(each).toLowerCase())
  const right = [name, stem].find(isRight) ?? `${stem}.${ENDINGS[type][0]}`
  const ending = `.${endingOf(right)}`
  const start = [...right.slice(0, -ending.length)].slice(0, MAX_LENGTH - ending.length).join('')
  return (start || 'file') + ending
}

const endingOf = (name: string): string => /\.(\w+)$/.exec(name)?.[1] ?? ''
/** Removes characters that some systems ignore at the end of a name. */
const trimEnd = (name: string): string => name.replace(/(?<![.\s])[.\s]+$/, '')

/** Returns whether the name consists only of folders. */
export const isFolder = (name: string): boolean => /(?:^|[/\\])\.{0,2}$/.test(name)

/**
 * Decodes a name from a form. `sent` contains one character per byte, or decoded text. Clients send UTF-8, Western
 * European bytes, or the encodings of email (RFC 2047) and of headers (RFC 8187).
 */
export function decodeFileName(sent: string): string {
  const text = decodeFormName(sent)
  const [, charset = '', value = ''] = /^([\w-]+)'[\w-]*'(.*%[0-9a-f]{2}.*)$/is.exec(text) ?? []
  return (charset && decodeAs(charset, unescapeBytes(value, '%'))) || decodeWords(text)
}

/** Decodes the name of a field or file whose characters are the bytes of the form. */
export function decodeFormName(text: string): string {
  if (/[^\0-\xff]/.test(text)) return text
  return (
    decodeAs('utf-8', Buffer.from(text, 'latin1')) ??
    decodeAs('windows-1252', Buffer.from(text, 'latin1')) ??
    text
  )
}

const WORD = String.raw`=\?([\w-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=`
const WORDS = new RegExp(String.raw`${WORD}(?:\s*${WORD})*`, 'gi')

/** Decodes encoded words (RFC 2047). Words in a row can divide the bytes of one letter. */
const decodeWords = (text: string): string =>
  text.replace(WORDS, (run) => {
    const words = [...run.matchAll(new RegExp(WORD, 'gi'))]
    let decoded = ''
    for (let from = 0, to = 0; from < words.length; from = to) {
      const charset = words[from]?.[1]?.toLowerCase() ?? ''
      while (words[to]?.[1]?.toLowerCase() === charset) to += 1
      const part = decodeAs(charset, Buffer.concat(words.slice(from, to).map(bytesOf)))
      if (part === null) return run
      decoded += part
    }
    return decoded
  })

const bytesOf = ([, , encoding = '', content = '']: RegExpExecArray): Buffer =>
  encoding.toLowerCase() === 'b'
    ? Buffer.from(content, 'base64')
    : unescapeBytes(content.replaceAll('_', ' '), '=')

const unescapeBytes = (text: string, mark: '%' | '='): Buffer =>
  Buffer.from(
    text.replace(new RegExp(`${mark}([0-9a-f]{2})`, 'gi'), (_, hex) =>
      String.fromCharCode(parseInt(hex, 16)),
    ),
    'latin1',
  )

/** Returns the text, or null if the character set is unknown or the bytes do not belong to it. */
function decodeAs(charset: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
