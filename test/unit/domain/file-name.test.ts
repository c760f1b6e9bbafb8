/** Tests the names under which files are shown and handed on. */
import { describe, expect, test } from 'vitest'
import type { ContentType } from '../../../src/domain/base/file.ts'
import { decodeFileName, nameFile } from '../../../src/domain/base/file-name.ts'

const [pdf, jpeg, png] = ['application/pdf', 'image/jpeg', 'image/png'] as const

const NAMES: readonly (readonly [given: string, type: ContentType, shown: string])[] = [
  ['statement.pdf', pdf, 'statement.pdf'],
  ['STATEMENT.PDF', pdf, 'STATEMENT.PDF'],
  ['statement.pdf.bat', pdf, 'statement.pdf'],
  ['statement.pdf .bat', pdf, 'statement.pdf'],
  ['statement.pdf.', pdf, 'statement.pdf'],
  ['statement.pdf. .', pdf, 'statement.pdf'],
  ['statement.bat', pdf, 'statement.pdf'],
  ['statement.EXE', pdf, 'statement.pdf'],
  ['statement.pdf', jpeg, 'statement.jpg'],
  ['statement.html', png, 'statement.png'],
  ['run.js', pdf, 'run.js.pdf'],
  ['run.ps1', pdf, 'run.pdf'],
  ['a.command', pdf, 'a.command.pdf'],
  ['photo.jpeg', jpeg, 'photo.jpeg'],
  ['photo.JPG', jpeg, 'photo.JPG'],
  ['photo.jfif', jpeg, 'photo.jfif'],
  ['photo.heic', jpeg, 'photo.jpg'],
  ['photo', png, 'photo.png'],
  ['Jan.2024', pdf, 'Jan.2024.pdf'],
  ['Letter to J.Lee', pdf, 'Letter to J.Lee.pdf'],
  ['Acme Inc.', pdf, 'Acme Inc.pdf'],
  ['Statement No. 5', pdf, 'Statement No. 5.pdf'],
  ['.pdf', pdf, 'file.pdf'],
  ['.bat', pdf, 'file.pdf'],
  ['', pdf, 'file.pdf'],
  ['   ', pdf, 'file.pdf'],
  ['..', pdf, 'file.pdf'],
  ['../../etc/passwd', pdf, 'passwd.pdf'],
  ['C:\\Users\\ada\\scan.pdf', pdf, 'scan.pdf'],
  ['a\r\nb\n.pdf', pdf, 'ab.pdf'],
  ['right-to-left \u202efdp.exe', pdf, 'right-to-left fdp.pdf'],
  ['in\u200bvis\ufeffib\u2066le\u00ad.pdf', pdf, 'invisible.pdf'],
  ['نامه\u200cها.pdf', pdf, 'نامه\u200cها.pdf'],
  ['Mu\u0308ller.pdf', pdf, 'Müller.pdf'],
  ['設立.pdf', pdf, '設立.pdf'],
  ['a"b.pdf', pdf, 'a"b.pdf'],
  [`${'x'.repeat(300)}.pdf`, pdf, `${'x'.repeat(196)}.pdf`],
  [`${'😀'.repeat(300)}.png`, png, `${'😀'.repeat(196)}.png`],
  [`x.${'a'.repeat(300)}`, pdf, `x.${'a'.repeat(194)}.pdf`],
]

test.each(NAMES)('shows %j as %s under the name %j', (given, type, shown) => {
  expect(nameFile(given, type)).toBe(shown)
  expect(nameFile(shown, type)).toBe(shown)
})

test('needs no more time for a long name', () => {
  for (const part of ['.', ' ', '. ', '.a', '/', '\u200b']) nameFile(part.repeat(50_000), pdf)
  for (const part of ["a'", '=?', '=?a?b?', '=?utf-8?q?a?= ', '=?utf-8?q?a?=', '%'])
    decodeFileName(part.repeat(10_000))
})

const bytes = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('latin1')

describe('decodes a name that a client sends', () => {
  test.each([
    ['in ASCII', 'statement.pdf', 'statement.pdf'],
    ['in UTF-8', bytes('Gründung ☂ 設立.pdf'), 'Gründung ☂ 設立.pdf'],
    ['in Latin-1', bytes('Müller Ångström.pdf', 'latin1'), 'Müller Ångström.pdf'],
    ['in Windows-1252', 'Quote \x93\x80\x94.pdf', 'Quote “€”.pdf'],
    ['as decoded text', 'Łukasz.pdf', 'Łukasz.pdf'],
    ['as decoded text of one byte per letter', 'Müller.pdf', 'Müller.pdf'],
    ['as an encoded word in base64', '=?UTF-8?B?TcO8bGxlci5wZGY=?=', 'Müller.pdf'],
    ['as an encoded word in base64 with a slash', `=?utf-8?b?${btoa('???/a.pdf')}?=`, '???/a.pdf'],
    ['as a quoted encoded word', '=?utf-8?Q?M=C3=BCller_2024.pdf?=', 'Müller 2024.pdf'],
    ['as a quoted encoded word with spaces', '=?utf-8?q?M=C3=BCller 2024.pdf?=', 'Müller 2024.pdf'],
    ['as an encoded word in Latin-1', '=?ISO-8859-1?Q?M=FCller=2Epdf?=', 'Müller.pdf'],
    ['as an encoded word in ISO-8859-2', '=?iso-8859-2?q?=A3ukasz.pdf?=', 'Łukasz.pdf'],
    ['as an encoded word in Shift_JIS', '=?Shift_JIS?B?kN2Xpy5wZGY=?=', '設立.pdf'],
    ['as an encoded word with a language', '=?utf-8*de?q?M=C3=BCller.pdf?=', 'Müller.pdf'],
    ['as words in a row', '=?utf-8?q?M=C3=BC?=\t =?utf-8?q?ller.pdf?=', 'Müller.pdf'],
    ['as words that divide a letter', '=?utf-8?q?M=C3?= =?utf-8?q?=BCller.pdf?=', 'Müller.pdf'],
    ['as words in different sets', '=?utf-8?q?M=C3=BC?= =?latin1?q?ller=FC.pdf?=', 'Müllerü.pdf'],
    ['as a word before an ending', '=?utf-8?q?M=C3=BCller?=.pdf', 'Müller.pdf'],
    ['as a value of a header', "UTF-8''M%C3%BCller%20a.pdf", 'Müller a.pdf'],
    ['as a value of a header with a language', "iso-8859-1'de'M%FCller.pdf", 'Müller.pdf'],
    ['with a percent sign', '50%25 off.pdf', '50%25 off.pdf'],
    ['with an apostrophe', "O'Brien's 100%20.pdf", "O'Brien's 100%20.pdf"],
    ['in an unknown set', '=?x-unknown?q?M=FCller?=.pdf', '=?x-unknown?q?M=FCller?=.pdf'],
    ['with bytes outside its set', '=?utf-8?q?M=FC?=.pdf', '=?utf-8?q?M=FC?=.pdf'],
    ['that begins like a word', '=?what.pdf', '=?what.pdf'],
  ])('%s', (_, sent, decoded) => expect(decodeFileName(sent)).toBe(decoded))
})
