/** Page: reports for operators, each with a sentence, a chart, a table and a CSV file. */
import type { Request, Response } from 'express'
import { validate as isUuid } from 'uuid'
import { ENTITY_KINDS } from '../../../domain/entity.ts'
import {
  FIGURES,
  type FigureFilter,
  type FigureName,
  PERIODS,
  USUAL_PERIOD,
} from '../../../domain/figures.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listVaultNames, type Names } from '../../../use-cases/access/names.ts'
import { getFigure } from '../../../use-cases/cases/figures.ts'
import { sendMessage, sendPage } from '../../response.tsx'
import { Choice, FilterForm, type Option } from '../filter-form.tsx'
import { Shell } from '../shell.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { csvOf } from './csv.ts'
import { headingOf, type View, viewOf } from './views.ts'
import { periodOf, type Row, wordsOf } from './wording.ts'

/** Returns the filter in the address. Ignores invalid parameters. */
function filterOf({ query }: Request): FigureFilter {
  const vault = String(query.vault ?? '').toLowerCase()
  return {
    period: periodOf(query.period) ?? USUAL_PERIOD,
    vaultId: isUuid(vault) ? vault : undefined,
    kind: ENTITY_KINDS.find((kind) => kind === query.kind),
  }
}

function queryOf({ period, vaultId, kind }: FigureFilter): URLSearchParams {
  const query = new URLSearchParams({ period: String(period) })
  if (vaultId) query.set('vault', vaultId)
  if (kind) query.set('kind', kind)
  return query
}

type Shown = View | { readonly name: FigureName; readonly failed: true }

export async function showFigures(deps: RouteDeps, visit: ConsoleVisit, req: Request, res: Response) {
  const filter = filterOf(req)
  const [vaults, ...figures] = await Promise.all([
    listVaultNames(deps),
    ...FIGURES.map(async (name): Promise<Shown> => {
      try {
        return viewOf(visit.frame, name, await getFigure(deps, name, filter))
      } catch (err) {
        // One failed report must not prevent the others.
        deps.log.warn({ err, figure: name }, 'report could not be read')
        return { name, failed: true }
      }
    }),
  ])
  sendPage(res, 200, <Page visit={visit} filter={filter} vaults={vaults} figures={figures} />)
}

export async function sendFigure(deps: RouteDeps, visit: ConsoleVisit, req: Request, res: Response) {
  const name = FIGURES.find((each) => each === req.params.name)
  if (!name) return sendMessage(res, 404, visit.frame, 'missing')
  const filter = filterOf(req)
  const { rows } = await getFigure(deps, name, filter)
  const file = `${name}-${new Date().toISOString().slice(0, 10)}.csv`
  res
    .setHeader('Content-Disposition', `attachment; filename="${file}"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(csvOf(rows as unknown as readonly Row[]))
}

interface PageProps {
  readonly visit: ConsoleVisit
  readonly filter: FigureFilter
  readonly vaults: Names
  readonly figures: readonly Shown[]
}

function Page({ visit, filter, vaults, figures }: PageProps) {
  const { t } = visit.frame
  const any: Option = ['', t('console.any')]
  return (
    <Shell visit={visit} title={t('figures.title')}>
      <FilterForm frame={visit.frame} action="/console/figures">
        <Choice
          name="period"
          label={t('figures.period')}
          chosen={String(filter.period)}
          options={PERIODS.map((days) => [String(days), t('figures.days', { days })])}
        />
        <Choice
          name="kind"
          label={t('console.filter.kind')}
          chosen={filter.kind}
          options={[any, ...ENTITY_KINDS.map((kind): Option => [kind, t(`console.kind.${kind}`)])]}
        />
        <Choice
          name="vault"
          label={t('console.filter.vault_id')}
          chosen={filter.vaultId}
          options={[any, ...vaults]}
        />
      </FilterForm>
      <p class="quiet">
        {t('figures.utc')} {filter.period === 365 ? t('figures.weeks') : null}
      </p>
      <div class="figures">
        {figures.map((figure) => (
          <Figure key={figure.name} visit={visit} figure={figure} query={queryOf(filter)} />
        ))}
      </div>
    </Shell>
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
  const sentence = 'failed' in figure ? t('figures.failed') : (figure.sentence ?? t(`figures.${name}.empty`))
  return (
    <section class="card" aria-labelledby={headingOf(name)}>
      <h2 id={headingOf(name)}>{sentence}</h2>
      <p class="quiet">{t(`figures.${name}.note`)}</p>
      {'failed' in figure || figure.sentence === null ? null : (
        <>
          <div class="drawing">{figure.plot}</div>
          <details>
            <summary>{t('figures.numbers')}</summary>
            <Numbers visit={visit} name={name} rows={figure.rows} />
          </details>
          <p>
            <a href={`/console/figures/${name}.csv?${query}`} download>
              {t('figures.csv', { name: wordsOf(visit.frame).column(name) })}
            </a>
          </p>
        </>
      )}
    </section>
  )
}

/** Shows the numbers as a table. A range of ages is one column. */
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
