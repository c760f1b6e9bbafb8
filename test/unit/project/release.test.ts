/** Tests that all files state the same version, and that a release with mistakes is refused. */
import { expect, test } from 'vitest'
import { findObstacles, findProblems, type ReleaseFiles, releasesIn } from '../../../dev/release/check.ts'
import { releaseFiles } from '../../../dev/release/files.ts'

const FILES: ReleaseFiles = {
  package: '{"version": "1.1.0"}',
  lock: '{"version": "1.1.0"}',
  chart: 'version: 1.1.0\nappVersion: 1.1.0\n',
  changelog:
    '# Changelog\n\n## 1.1.0 (2026-12-01)\n\nText.\n\n## 1.0.0 (2026-11-01)\n\nThe first, from commit `abc`.\n',
}

test('all files state the version of package.json', () => {
  expect(findProblems(releaseFiles())).toEqual([])
})

test('reads the releases, newest first', () => {
  expect(releasesIn(FILES.changelog)).toEqual([
    { version: '1.1.0', date: '2026-12-01', commit: null },
    { version: '1.0.0', date: '2026-11-01', commit: 'abc' },
  ])
})

test('accepts a release whose files agree', () => {
  expect(findObstacles(FILES, ['v1.0.0'])).toEqual([])
})

const replaced = (file: keyof ReleaseFiles, from: string, to: string) => ({
  ...FILES,
  [file]: FILES[file].replace(from, to),
})
test.each<[string, ReleaseFiles, string[], RegExp]>([
  [
    'another version of the chart',
    replaced('chart', 'version: 1.1', 'version: 1.0'),
    [],
    /^version in deploy/,
  ],
  [
    'another version of the image',
    replaced('chart', 'appVersion: 1.1', 'appVersion: 1.0'),
    [],
    /^appVersion/,
  ],
  ['an old lock file', replaced('lock', '1.1', '1.0'), [], /^package-lock/],
  ['no section in the changelog', replaced('changelog', '1.1.0', '1.2.0'), [], /^the first section/],
  ['no date', replaced('changelog', '2026-12-01', 'unreleased'), [], /date of the release/],
  ['an earlier section without a date', replaced('changelog', '2026-11-01', 'unreleased'), [], /1\.0\.0/],
  ['a tag that exists', FILES, ['v1.0.0', 'v1.1.0'], /v1\.1\.0 exists/],
])('refuses a release with %s', (_, files, tags, reason) => {
  expect(findObstacles(files, tags)).toEqual([expect.stringMatching(reason)])
})
