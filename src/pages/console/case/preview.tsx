/** Page: a preview of the applicant's page after a decision, built from the same components. */
import type { Response } from 'express'
import type { ComponentChildren, ComponentProps, VNode } from 'preact'
import type { By } from '../../../domain/access/audit.ts'
import { RequestRefused } from '../../../domain/base/errors.ts'
import type { Entity, EntityRef } from '../../../domain/entity/entity.ts'
import type { Decided } from '../../../domain/entity/rules.ts'
import type { Fields } from '../../../domain/fields/field.ts'
import { filesIn, requiredOfApplicant, valuesOf } from '../../../domain/identification/person-form.ts'
import { requiredOfBeneficiary } from '../../../domain/kyb/beneficiary-check.ts'
import { companyValues, personValues } from '../../../domain/kyb/form.ts'
import { beneficiaryPath, requiredPaths } from '../../../domain/kyb/requirements.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { companyFormOf } from '../../../use-cases/applicant/company-form.ts'
import {
  type PreviewedKyb,
  type PreviewedVerification,
  previewKybDecision,
  previewVerificationDecision,
} from '../../../use-cases/applicant/preview.ts'
import { RateReached } from '../../../use-cases/limits/rates.ts'
import { Documents } from '../../applicant/base/documents.tsx'
import type { FileList } from '../../applicant/base/upload-form.tsx'
import { anonymousVisit } from '../../applicant/base/visit.ts'
import { documentLists, ownerDocuments } from '../../applicant/company/document-lists.ts'
import { Done as CompanyDone } from '../../applicant/company/done.tsx'
import { OverviewContent as CompanyOverview, overviewTitle } from '../../applicant/company/overview.tsx'
import {
  nameOf,
  ownerFields,
  ownersOf,
  SECTION_PAGES,
  typedFields,
} from '../../applicant/company/sections.ts'
import {
  type CompanyVisit,
  commentOn as companyComment,
  replyAt as companyReply,
} from '../../applicant/company/visit.ts'
import { Done as PersonDone } from '../../applicant/person/done.tsx'
import {
  OverviewContent as PersonOverview,
  overviewTitle as personTitle,
} from '../../applicant/person/overview.tsx'
import { PhotoContent } from '../../applicant/person/photo.tsx'
import {
  isOpen,
  type PersonVisit,
  commentOn as personComment,
  replyAt as personReply,
  personVisitOf,
  titleOf,
} from '../../applicant/person/visit.ts'
import { FieldList } from '../../components/form.tsx'
import { type FieldProblem, type Frame, Page } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { ConsoleVisit } from '../base/visit.ts'
import { readDecision, refusedDecision } from './decision.ts'
import type { CaseForm } from './form.ts'

/** Makes the links in the preview point to parts of the same page. The preview's forms are disabled. */
const BASE = '#preview'

/** Fits every outcome. The applicant does not see the reason, so a preview needs none. */
const UNSEEN = { reason_code: 'other' } as const

export async function previewFromForm<E extends Entity>(form: Omit<CaseForm<E>, 'showAgain'>) {
  const { deps, visit, target, req, res } = form
  const frame = await applicantsFrame(deps, visit, target)
  const read = readDecision(frame, target.entity, req, UNSEEN)
  if ('problems' in read) return sendRefused(res, frame, read.problems)
  const by = byOf(visit, req)
  await sendUnlessRefused(res, frame, () => PREVIEWS[target.entity](deps, by, frame, target, read.decided))
}

type Previewing<E extends Entity> = (
  deps: RouteDeps,
  by: By,
  frame: Frame,
  target: EntityRef<E>,
  decided: Decided<E>,
) => Promise<VNode>

const PREVIEWS: { readonly [E in Entity]: Previewing<E> } = {
  kyb: async (deps, by, frame, target, decided) =>
    companyPage(frame, await previewKybDecision(deps, by, target, decided)),
  identification: async (deps, by, frame, target, decided) => {
    const previewed = await previewVerificationDecision(deps, by, target, decided)
    const { form, application, redirectUrl } = previewed
    const { identification } = form
    if (identification.kind === 'person') return personPage(frame, previewed)
    // While the application is open, the company sees only the application.
    if (!application || application.state.status === 'open')
      return (
        <Preview frame={frame} title={frame.t('console.preview')}>
          <p>{frame.t('console.preview.unchanged')}</p>
        </Preview>
      )
    return companyPage(frame, { form: companyFormOf(application), identification, redirectUrl })
  },
}

interface PreviewProps {
  readonly frame: Frame
  readonly title: string
  readonly children: ComponentChildren
}

const Preview = ({ frame, title, children }: PreviewProps) => (
  <Page frame={frame} title={title}>
    <PreviewNote {...frame} />
    {children}
  </Page>
)

const PreviewNote = ({ t }: Pick<Frame, 't'>) => <p class="quiet">{t('console.preview.text')}</p>

async function sendUnlessRefused(res: Response, frame: Frame, preview: () => Promise<VNode>): Promise<void> {
  try {
    sendPage(res, 200, await preview())
  } catch (error) {
    if (!(error instanceof RequestRefused) || error instanceof RateReached) throw error
    sendRefused(res, frame, refusedDecision(frame, error.problems).problems)
  }
}

/** Returns a frame with the vault's branding, but only in the operator's language. */
async function applicantsFrame(deps: RouteDeps, visit: ConsoleVisit, { vaultId }: EntityRef): Promise<Frame> {
  const { frame } = visit
  const vault = await getVault(deps, visit, 'read_cases', vaultId)
  return { ...frame, vault: { ...vault, languages: [frame.language] }, vaultName: vault.name }
}

function companyPage(frame: Frame, { form, ...result }: PreviewedKyb): VNode {
  const { application } = form
  const visit: CompanyVisit = {
    ...anonymousVisit(frame, { ...application, id: application.identificationId }, BASE),
    ...form,
    publicUrl: '',
  }
  if (application.state.status === 'open')
    return (
      <Preview frame={frame} title={overviewTitle(visit)}>
        <CompanyOverview visit={visit} />
        <CompanyFindings visit={visit} />
      </Preview>
    )
  return <CompanyDone visit={visit} {...result} note={<PreviewNote {...frame} />} />
}

function personPage(frame: Frame, { form, redirectUrl }: PreviewedVerification): VNode {
  const visit = personVisitOf(anonymousVisit(frame, form.identification, BASE), form)
  if (isOpen(visit))
    return (
      <Preview frame={frame} title={personTitle(visit)}>
        <PersonOverview visit={visit} />
        <PersonFindings visit={visit} />
      </Preview>
    )
  return <PersonDone visit={visit} home={redirectUrl} note={<PreviewNote {...frame} />} />
}

/** Shows the fields of another page that have findings. The controls are disabled. */
const Part = ({ id, title, children }: { id: string; title: string; children: ComponentChildren }) => (
  <section class="card" id={`${BASE.slice(1)}/${id}`} aria-label={title}>
    <h2>{title}</h2>
    <fieldset class="disabled-part" disabled>
      {children}
    </fieldset>
  </section>
)

const withFindings = (fields: Fields, hasFinding: (field: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => hasFinding(field)))

function CompanyFindings({ visit }: { visit: CompanyVisit }) {
  const { frame, application } = visit
  const { form, content, corrections } = application
  const isFound = (path: string) => corrections.some((each) => each.path === path)
  const required = requiredPaths(form, content)
  return (
    <>
      {SECTION_PAGES.map((page) => {
        const fields = typedFields(application, page)
        return (
          <FoundPart
            key={page}
            visit={visit}
            isFound={isFound}
            id={page}
            title={frame.t(`section.${page}`)}
            prefix=""
            fields={fields}
            values={companyValues(content, fields)}
            required={required}
            lists={page === 'business_files' ? documentLists(visit) : []}
          />
        )
      })}
      {ownersOf(application).map((person) => (
        <FoundPart
          key={person.external_id}
          visit={visit}
          isFound={isFound}
          id={`owners/${person.external_id}`}
          title={nameOf(person)}
          prefix={beneficiaryPath(person.external_id, '')}
          fields={ownerFields(application)}
          values={personValues(form, person)}
          required={requiredOfBeneficiary(application, person)}
          lists={ownerDocuments(visit, person)}
          comment={companyComment(visit)(beneficiaryPath(person.external_id, '').slice(0, -1))}
        />
      ))}
    </>
  )
}

interface FoundPartProps extends Pick<ComponentProps<typeof FieldList>, 'prefix' | 'fields' | 'values'> {
  readonly visit: CompanyVisit
  readonly isFound: (path: string) => boolean
  readonly id: string
  readonly title: string
  /** The names of the required fields. */
  readonly required: readonly string[]
  readonly lists: readonly FileList[]
  /** The comment on the whole person. */
  readonly comment?: string | null
}

function FoundPart({ visit, isFound, id, title, required, comment = null, ...part }: FoundPartProps) {
  const { prefix, values } = part
  const fields = withFindings(part.fields, (field) => isFound(prefix + field))
  const lists = part.lists.filter(({ path }) => isFound(path))
  if (Object.keys(fields).length + lists.length === 0 && comment === null) return null
  return (
    <Part id={id} title={title}>
      {comment ? <p class="comment">{comment}</p> : null}
      <FieldList
        frame={visit.frame}
        prefix={prefix}
        fields={fields}
        values={values}
        required={(name) => required.includes(name)}
        commentOn={companyComment(visit)}
        replyAt={companyReply(visit)}
      />
      {lists.length > 0 ? <Documents visit={visit} lists={lists} problems={[]} /> : null}
    </Part>
  )
}

function PersonFindings({ visit }: { visit: PersonVisit }) {
  const { frame, identification, form } = visit
  const { profile, review } = identification
  const isFound = (path: string) => (review?.corrections ?? []).some((each) => each.path === path)
  const required = requiredOfApplicant(profile, form)
  return (
    <>
      {(['details', 'document'] as const).map((page) => {
        const fields = withFindings(form[page], isFound)
        if (Object.keys(fields).length === 0) return null
        return (
          <Part key={page} id={page} title={frame.t(`person.${page}`)}>
            <FieldList
              frame={frame}
              prefix=""
              fields={fields}
              values={valuesOf(profile, form)}
              required={(field) => required.includes(field)}
              commentOn={personComment(visit)}
              replyAt={personReply(visit)}
            />
          </Part>
        )
      })}
      {filesIn(form)
        .filter(isFound)
        .map((attribute) => (
          <Part key={attribute} id={attribute} title={titleOf(visit, attribute)}>
            <PhotoContent visit={visit} attribute={attribute} />
          </Part>
        ))}
    </>
  )
}

function sendRefused(res: Response, frame: Frame, problems: readonly FieldProblem[]): void {
  const { t } = frame
  const page = (
    <Page frame={frame} title={t('console.preview')} problems={problems}>
      <p>{t('console.preview.nothing')}</p>
    </Page>
  )
  sendPage(res, 422, page)
}
