/** Reads the files that state the version of Gatehouse. */
import { readFileSync } from 'node:fs'
import type { ReleaseFiles } from './check.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

export const releaseFiles = (): ReleaseFiles => ({
  package: read('package.json'),
  lock: read('package-lock.json'),
  chart: read('deploy/helm/Chart.yaml'),
  changelog: read('CHANGELOG.md'),
})
