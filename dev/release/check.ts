/** Checks that the files of a release state its version. */

export interface ReleaseFiles {
  readonly package: string
  readonly lock: string
  readonly chart: string
  readonly changelog: string
}

const VERSION = /^\d+\.\d+\.\d+$/
const HEADING = /^## (\S+) \((\d{4}-\d\d-\d\d|unreleased)\)$/gm

interface Release {
  readonly version: string
  /** Null before the release. */
  readonly date: string | null
  /** The commit of a release, if its section names it. */
  readonly commit: string | null
}

/** Returns the releases of CHANGELOG.md, newest first. */
export function releasesIn(changelog: string): Release[] {
  const headings = [...changelog.matchAll(HEADING)]
  return headings.map(({ 1: version = '', 2: date = '', index }, n) => {
    const section = changelog.slice(index, headings[n + 1]?.index)
    const commit = /from commit `(\w+)`/.exec(section)?.[1] ?? null
    return { version, date: date === 'unreleased' ? null : date, commit }
  })
}

/** Returns the problems of the files, whether or not their version has been released. */
export function findProblems({ package: own, lock, chart, changelog }: ReleaseFiles): string[] {
  const { version } = JSON.parse(own) as { version: string }
  const [newest, ...others] = releasesIn(changelog)
  const stated: Record<string, string | undefined> = {
    'package-lock.json': JSON.parse(lock).version,
    'version in deploy/helm/Chart.yaml': /^version: (\S+)$/m.exec(chart)?.[1],
    'appVersion in deploy/helm/Chart.yaml': /^appVersion: (\S+)$/m.exec(chart)?.[1],
    'the first section of CHANGELOG.md': newest?.version,
  }
  return [
    ...(VERSION.test(version) ? [] : [`package.json has the version ${version}, not one such as 1.2.3.`]),
    ...Object.entries(stated)
      .filter(([, each]) => each !== version)
      .map(([place, each]) => `${place} has the version ${each}, but package.json has ${version}.`),
    ...others
      .filter(({ date }) => date === null)
      .map((each) => `CHANGELOG.md has no date for ${each.version}.`),
  ]
}

/** Returns what prevents the release: the problems of the files, a missing date and a tag that exists. */
export function findObstacles(files: ReleaseFiles, tags: readonly string[]): string[] {
  const [newest] = releasesIn(files.changelog)
  const missing = newest?.date ? [] : ['Enter the date of the release in CHANGELOG.md.']
  const exists = tags.includes(`v${newest?.version}`)
    ? [`The tag v${newest?.version} exists. Increase the version.`]
    : []
  return [...findProblems(files), ...missing, ...exists]
}
