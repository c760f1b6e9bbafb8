/** Tests the addresses of stored files in `BLOB_URL`. */
import { expect, test } from 'vitest'
import { parseBlobUrls } from '../../../src/process/blob-url.ts'

const bucketOf = (text: string) => parseBlobUrls(text)[0]

test.each([
  ['file:///var/lib/files', { kind: 'folder', path: '/var/lib/files' }],
  ['file:///a%20b', { kind: 'folder', path: '/a b' }],
  [
    's3://files',
    { prefix: '', endpoint: 'https://s3.us-east-1.amazonaws.com', isPathStyle: false, region: 'us-east-1' },
  ],
  ['s3://files/', { prefix: '' }],
  ['s3://files/a/b/', { prefix: 'a/b/' }],
  ['s3://files/a?region=eu-central-1', { prefix: 'a/', endpoint: 'https://s3.eu-central-1.amazonaws.com' }],
  ['s3://files?endpoint=https://s3.local:9000', { endpoint: 'https://s3.local:9000', isPathStyle: false }],
  ['s3://files?endpoint=http://s3:9000/&path_style=true', { endpoint: 'http://s3:9000', isPathStyle: true }],
])('reads %s', (text, expected) => {
  expect(bucketOf(text)).toMatchObject(expected)
})

test('reads several URLs in their order', () => {
  expect(parseBlobUrls('s3://new/a, file:///old').map(({ kind }) => kind)).toEqual(['bucket', 'folder'])
})

test.each([
  'files',
  '/var/lib/files',
  'file:///',
  'file://host/path',
  'https://files.example.com',
  's3://',
  's3://Files',
  's3://files:9000',
  's3://files/a b',
  's3://key:secret@files',
  's3://files?endpoint=s3.local',
  's3://files?endpoint=https://s3.local/path',
  's3://files?endpoint=https://key:secret@s3.local',
  's3://files?pathstyle=true',
  's3://files?path_style=yes',
  'file:///old,',
])('refuses %s without quoting it', (text) => {
  expect(() => parseBlobUrls(text)).toThrow(/^(Set|Begin|Remove) /)
  expect(() => parseBlobUrls(text)).not.toThrow(/secret@/)
})
