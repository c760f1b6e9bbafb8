/** Page: the import of a profile from a file or from those that Gatehouse ships, and its export. */
import { parseJsonOrRefuse } from '../../../../contracts/check.ts'
import { profileDocument } from '../../../../contracts/profile.ts'
import { RequestRefused } from '../../../../domain/base/errors.ts'
import { isAddedRow, PARTS, type ProfileDocument } from '../../../../domain/profile/document.ts'
import { SHIPPED } from '../../../../domain/profile/shipped/index.ts'
import { SHIPPED_NAMES, type ShippedProfile } from '../../../../domain/profile/shipped/profile.ts'
import { replaceDraft } from '../../../../use-cases/access/profile.ts'
import { getProfileState } from '../../../../use-cases/access/profile-draft.ts'
import { getVault } from '../../../../use-cases/access/vaults.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Chip } from '../../../components/chip.tsx'
import { isOurForm } from '../../../routing/origin.ts'
import { flashAt } from '../../base/flash.ts'
import { textOf } from '../../base/form.ts'
import { FileInput, FormField, inputOf } from '../../base/inputs.tsx'
import { SettingsForm } from '../../base/parts.tsx'
import { labelOf } from '../../base/words.ts'
import { type Ask, placeInVault, type Reply } from '../ask.ts'
import { readUpload } from '../upload.ts'
import { profilePath } from './address.ts'
import { documentOf, textIn } from './fields.ts'

const MAX_FILE_BYTES = 1_000_000

export async function importPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, again, id } = ask
  const place = await placeInVault(ask, 'profile', { permission: 'administer' })
  const { draft } = await getProfileState(deps, visit, id)
  const file = { frame, again, name: 'file', hint: t('settings.file.hint') }
  return {
    ...place,
    up: { href: profilePath(id), name: 'settings.profile' },
    title: t('settings.profile.import'),
    lead: draft ? t('settings.profile.import.replaces', { version: draft.version }) : undefined,
    children: (
      <>
        <SettingsForm
          ask={ask}
          action={profilePath(id, '/import')}
          back={profilePath(id)}
          isNew
          press={t('settings.profile.import.file')}
          attributes={{ encType: 'multipart/form-data' }}
        >
          <div class="card settings-card">
            <FormField {...file}>
              <FileInput {...inputOf(file)} choose={t('files.choose')} accept="application/json" />
            </FormField>
          </div>
          <h2>{t('settings.profile.shipped')}</h2>
          {SHIPPED_NAMES.map((name) => (
            <ShippedCard key={name} ask={ask} profile={SHIPPED[name]} />
          ))}
        </SettingsForm>
      </>
    ),
  }
}

/** Shows a profile with the law behind each of its fields. Its button is part of the form. */
function ShippedCard({ ask: { frame, t }, profile }: { ask: Ask; profile: ShippedProfile }) {
  const { name, state, title, about, document, sources } = profile
  const rows = PARTS.flatMap((part) => document[part].rows).filter(({ path }) => path in sources)
  return (
    <Card
      id={`shipped-${name}`}
      title={textIn(frame, title)}
      text={textIn(frame, about)}
      end={
        <Chip tone={state === 'draft' ? 'warning' : 'success'}>{t(`settings.profile.state.${state}`)}</Chip>
      }
    >
      {rows.length > 0 ? (
        <details class="profile-sources">
          <summary>{t('settings.profile.sources', { count: rows.length })}</summary>
          <dl>
            {rows.map((row) => (
              <div key={row.path}>
                <dt>{isAddedRow(row) ? textIn(frame, row.label) : labelOf(t, row.path)}</dt>
                <dd class="row-note">{sources[row.path]}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
      <Button kind="secondary" name="shipped" value={name}>
        {t('settings.profile.shipped.use')}
      </Button>
    </Card>
  )
}

const readFile = readUpload('file', MAX_FILE_BYTES)

export async function importProfile(ask: Ask): Promise<Reply> {
  const { deps, visit, by, req, res, id } = ask
  const vault = await getVault(deps, visit, 'administer', id)
  const file = await readFile(ask)
  if (!isOurForm(req, visit.csrf)) return null
  const name = textOf(req.body ?? {}, 'shipped')
  const shipped = SHIPPED_NAMES.find((each) => each === name)
  const document = shipped ? SHIPPED[shipped].document : documentIn(file)
  await replaceDraft(deps, visit, by, id, document)
  return flashAt(deps, res, profilePath(id), 'draftReplaced', vault.name)
}

/** Returns the document in the file. Throws `invalid` if the file contains none. */
function documentIn(file: Buffer | null): ProfileDocument {
  try {
    return parseJsonOrRefuse(profileDocument, file ?? Buffer.alloc(0)) as ProfileDocument
  } catch (error) {
    if (!(error instanceof RequestRefused || error instanceof SyntaxError)) throw error
    const problems = error instanceof RequestRefused ? error.problems : []
    const places = problems.flatMap(({ field }) =>
      field ? ({ code: 'invalid', field: `file.${field}` } as const) : [],
    )
    throw new RequestRefused(...(places.length > 0 ? places : [{ code: 'invalid', field: 'file' } as const]))
  }
}

/** Sends the draft as a file, or the newest version if there is no draft. */
export async function exportProfile({ deps, visit, res, id }: Ask): Promise<void> {
  const state = await getProfileState(deps, visit, id)
  const version = state.draft?.version ?? state.versions[0]?.version ?? 0
  res
    .type('json')
    .attachment(`profile-${version}.json`)
    .send(`${JSON.stringify(documentOf(state), null, 2)}\n`)
}
