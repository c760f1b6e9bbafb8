/** Lists the settings that the values of the Helm chart accept. */

const SECRET = /(KEY|KEYS|SECRET|TOKEN|DATABASE_URL|SMTP_URL|PASSWORD|HEADERS)$/
/** The chart sets these itself. */
const OF_CHART = new Set(['HOST', 'PORT', 'HEALTH_PORT', 'METRICS_HOST', 'METRICS_PORT', 'WORKFLOW_BUNDLE'])

/** Returns the settings of processes (P) in the table of docs/settings.md that are not secret. */
export const helmSettings = (page: string): string[] =>
  [...page.matchAll(/^\| `([A-Z_]+)` \| [CS ]*P/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !SECRET.test(name) && !OF_CHART.has(name))
    .sort()

/** Writes the names into the schema of the values. */
export const withHelmSettings = (schema: string, page: string): string =>
  schema.replace(
    /"setting": \{\s*"enum": \[[^\]]*\]\s*\}/,
    `"setting": {\n      "enum": [\n${helmSettings(page)
      .map((name) => `        "${name}"`)
      .join(',\n')}\n      ]\n    }`,
  )
