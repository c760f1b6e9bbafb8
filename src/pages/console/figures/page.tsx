/** Page: reports for operators, each with a sentence, a chart, a table and a CSV file. */
import type { Request } from 'express'
import { validate as isUuid } from 'uuid'
import { vaultsFor } from '../../../domain/access/grant.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import {
  FIGURES,
  type FigureFilter,
  type FigureName,
  PERIODS,
  USUAL_PERIOD,
} from '../../../domain/review/figures.ts'
import { byOf } from '../../../http/address.ts'
import { listVaultNames, type Names } from '../../../use-cases/access/names.ts'
import { exportFigure, getFigure } from '../../../use-cases/review/figures.ts'
import { hasWebhookUrls } from '../../../use-cases/webhooks/settings.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { LinkMenu } from '../../components/menu.tsx'
import { sendPage } from '../../routing/response.tsx'
import { sendCsv } from '../base/csv.ts'
import type { Option } from '../base/filter-form.tsx'
import { Shell } from '../base/shell.tsx'
import type { ConsoleRequest, ConsoleVisit } from '../base/visit.ts'
import { Spark, Textures } from './drawing.tsx'
import { headingOf, KEY_ORDER, type View, viewOf } from './views.ts'
import { periodOf, type Row, wordsOf } from './wording.ts'

interface Asked extends Omit<FigureFilter, 'scope'> {
  readonly vaultId: string | undefined
}

/** Returns the filter in the address. Ignores invalid parameters. */
function askedOf({ query }: Request): Asked {
  const vault = String(query.vault ?? '').toLowerCase()
  return {
    period: periodOf(query.period) ?? USUAL_PERIOD,
    vaultId: isUuid(vault) ? vault : undefined,
    kind: ENTITY_KINDS.find((kind) => kind === query.kind),
  }
}

const filterOf = (visit: ConsoleVisit, { vaultId, ...asked }: Asked): FigureFilter => ({
  ...asked,
  scope: vaultsFor(visit, 'read_cases', vaultId),
})

function queryOf({ period, vaultId, kind }: Asked): URLSearchParams {
  const query = new URLSearchParams({ period: String(period) })
  if (vaultId) query.set('vault', vaultId)
  if (kind) query.set('kind', kind)
  return query
}

type Shown = View | { readonly name: FigureName; readonly failed: true }

export async function showFigures({ deps, visit, req, res }: ConsoleRequest) {
  const asked = askedOf(req)
  const filter = filterOf(visit, asked)
  const [vaults, hasUrls, ...figures] = await Promise.all([
    listVaultNames(deps, vaultsFor(visit, 'read_cases')),
    hasWebhookUrls(deps, filter.scope),
    ...FIGURES.map(async (name): Promise<Shown> => {
      try {
        return viewOf(visit.frame, name, await getFigure(deps, name, filter))
      } catch (err) {
        // If one report fails, the page still shows the others.
        deps.log.warn({ err, figure: name }, 'report could not be read')
        return { name, failed: true }
      }
    }),
  ])
  sendPage(
    res,
    200,
    <Page
      visit={visit}
      asked={asked}
      vaults={vaults}
      figures={hasUrls ? figures : figures.map((each) => withoutUrls(visit.frame, each))}
    />,
  )
}

/** Replaces the report on deliveries if no URL is registered, because a share of 0% would suggest failures. */
const withoutUrls = ({ t }: Frame, figure: Shown): Shown =>
  figure.name === 'deliveries' && !('failed' in figure)
    ? { ...figure, sentence: null, plot: null, key: null, empty: t('figures.deliveries.noUrl') }
    : figure

export async function sendFigure({ deps, visit, req, res }: ConsoleRequest) {
  const name = FIGURES.find((each) => each === req.params.name)
  if (!name) throw new RequestRefused({ code: 'not_found' })
  const filter = filterOf(visit, askedOf(req))
  const { rows } = await exportFigure(deps, byOf(visit, req), name, filter)
  sendCsv(res, name, rows as unknown as readonly Row[])
}

interface PageProps {
  readonly visit: ConsoleVisit
  readonly asked: Asked
  readonly vaults: Names
  readonly figures: readonly Shown[]
}

function Page({ visit, asked, vaults, figures }: PageProps) {
  const { t } = visit.frame
  const hrefOf = (change: Partial<Asked>) => `/console/figures?${queryOf({ ...asked, ...change })}`
  return (
    <Shell
      visit={visit}
      title={t('figures.title')}
      head={
        <div class="page-head">
          <h1>{t('figures.title')}</h1>
          <FilterMenu
            current={hrefOf({})}
            label={t('figures.period')}
            icon="calendar"
            chosen={t('figures.days', { days: asked.period })}
            options={PERIODS.map((period) => [hrefOf({ period }), t('figures.days', { days: period })])}
          />
          {vaults.size > 1 ? (
            <FilterMenu
              current={hrefOf({})}
              label={t('console.filter.vault_id')}
              chosen={asked.vaultId ? (vaults.get(asked.vaultId) ?? asked.vaultId) : t('figures.allVaults')}
              options={[
                [hrefOf({ vaultId: undefined }), t('figures.allVaults')],
                ...[...vaults].map(([vaultId, name]): Option => [hrefOf({ vaultId }), name]),
              ]}
            />
          ) : null}
          <FilterMenu
            current={hrefOf({})}
            label={t('console.filter.kind')}
            chosen={asked.kind ? t(`figures.column.${asked.kind}`) : t('figures.allKinds')}
            options={[
              [hrefOf({ kind: undefined }), t('figures.allKinds')],
              ...ENTITY_KINDS.map((kind): Option => [hrefOf({ kind }), t(`figures.column.${kind}`)]),
            ]}
          />
          <p class="quiet small">
            {t('figures.utc')} {asked.period === 365 ? t('figures.weeks') : null}
          </p>
        </div>
      }
    >
      <Textures />
      <KeyFigures figures={figures} />
      <div class="figures">
        {figures.map((figure) => (
          <Figure key={figure.name} visit={visit} figure={figure} query={queryOf(asked)} />
        ))}
      </div>
    </Shell>
  )
}

interface FilterMenuProps {
  readonly current: string
  readonly label: string
  readonly icon?: IconName
  readonly chosen: string
  readonly options: readonly Option[]
}

const FilterMenu = ({ current, label, icon, chosen, options }: FilterMenuProps) => (
  <LinkMenu current={current} links={options}>
    <summary class="button button-secondary">
      {icon ? <Icon name={icon} /> : null}
      <span class="unseen">{label}</span>
      {chosen}
      <Icon name="chevron-down" />
    </summary>
  </LinkMenu>
)

function KeyFigures({ figures }: { figures: readonly Shown[] }) {
  const keys = KEY_ORDER.flatMap((name) => {
    const figure = figures.find((each) => each.name === name)
    return figure && 'key' in figure && figure.key ? [{ name, ...figure.key }] : []
  })
  return keys.length === 0 ? null : (
    <dl class="key-figures">
      {keys.map(({ name, label, value, note, values }) => (
        <div key={name} class="card">
          <dt>{label}</dt>
          <dd class="key-value">{value}</dd>
          <dd class="key-note">{note}</dd>
          <dd class="key-spark">
            <Spark values={values} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface FigureProps {
  readonly visit: ConsoleVisit
  readonly figure: Shown
  readonly query: URLSearchParams
}

function Figure({ visit, figure, query }: FigureProps) {
  const { t } = visit.frame
  const { name } = figure
  const sentence =
    'failed' in figure ? t('figures.failed') : (figure.sentence ?? figure.empty ?? t(`figures.${name}.empty`))
  const title = wordsOf(visit.frame).column(name)
  return (
    <section class={`card figure figure-${name}`} aria-labelledby={headingOf(name)}>
      <h2 id={headingOf(name)}>{sentence}</h2>
      <p class="quiet small">{t(`figures.${name}.note`)}</p>
      {'failed' in figure || figure.sentence === null ? null : (
        <>
          <details>
            <summary class="button button-quiet button-icon" title={t('figures.numbers')}>
              <Icon name="table-2" size={16} />
              <span class="unseen">{t('figures.numbersOf', { name: title })}</span>
            </summary>
            <Numbers visit={visit} name={name} rows={figure.rows} />
          </details>
          <a
            class="button button-quiet button-icon"
            href={`/console/figures/${name}.csv?${query}`}
            title={t('figures.csv.short')}
            download
          >
            <Icon name="download" size={16} />
            <span class="unseen">{t('figures.csv', { name: title })}</span>
          </a>
          <div class="figure-chart">{figure.plot}</div>
        </>
      )}
    </section>
  )
}

/** Shows the numbers as a table. Combines the two limits of an age range in one column. */
function Numbers({ visit, name, rows }: Pick<FigureProps, 'visit'> & Pick<View, 'name' | 'rows'>) {
  const { column, cell, age } = wordsOf(visit.frame)
  const shown =
    name === 'queue_ages'
      ? rows.map(({ from_seconds, to_seconds, ...counts }) => ({
          age: age({ from_seconds: Number(from_seconds), to_seconds: to_seconds as number | null }),
          ...counts,
        }))
      : rows
  const columns = Object.keys(shown[0] ?? {})
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the focus to scroll the table
    <section class="wide" tabIndex={0} aria-label={column(name)}>
      <table>
        <thead>
          <tr>
            {columns.map((each) => (
              <th key={each} scope="col">
                {column(each)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row: Row, n) => (
            <tr key={n}>
              {columns.map((each) => (
                <td key={each}>{cell(each, row[each] ?? null)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
