/** Tests that the console offers each operator only actions that their roles permit, on all pages. */
import { parse } from 'node-html-parser'
import { afterAll, describe, expect, test } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { createWaiting } from '../../support/identification.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { documentOf, profilesOf, row } from '../../support/profile.ts'

// Links may lead to any case, so other tests must not erase some meanwhile.
const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())
const { api, baseUrl, vaultId } = gatehouse
const operator = await gatehouse.operator()
const other = await addVault(gatehouse)

const kyb = await api.createKyb(unique(), {
  nature_of_business: { legal_company_name: 'Example Trading Ltd' },
  beneficiaries: { beneficiaries_list: [{ email: `${unique()}@example.com`, full_name: 'Ada Example' }] },
})
const person = await createWaiting(gatehouse)
const template = { language: 'en', title: 'Photo', text: 'Take a new photo.' }
const proof = row('proof_of_address', { section: 'document', type: 'files' })
const prepared = [
  await operator.post(`/vaults/${vaultId}/comment_templates`, template),
  await api.put('/users/update_webhook', { webhook_url: { account: ['https://receiver.example/'] } }),
  await (await profilesOf(gatehouse)).draft(documentOf([], [], [proof])),
]
expect(prepared.map(({ status }) => status < 300)).toEqual(prepared.map(() => true))

/** The pages about the first vault and its cases. */
const OF_VAULT = [
  `/console/kyb/${kyb}`,
  `/console/identifications/${person}`,
  `/console/settings/vaults/${vaultId}`,
]

type Grants = readonly { role: string; vault_id: string | null }[]
const enter = async (operator_grants: Grants) => {
  const { email } = await signedIn(gatehouse, 'operator', { operator_grants })
  return openConsole(baseUrl, { email, password: PASSWORD })
}
type Console = Awaited<ReturnType<typeof enter>>

/** Returns the path with the names of its IDs and of its query, so that pages of one kind are read once. */
const kindOf = (path: string) => {
  const { pathname, searchParams } = new URL(path, baseUrl)
  const query = [...searchParams].map(([name, value]) =>
    ['tab', 'part', 'section'].includes(name) ? `${name}=${value}` : name,
  )
  return [pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}'), ...query.sort()].join(' ')
}

/** Pages that are not HTML, and that end the session. */
const isPage = (path: string) =>
  path.startsWith('/console') && !/^\/console\/(files|sign_out)|\.csv|\/export|\/preview/.test(path)

/** Reads all pages that links lead to. Returns the addresses of their forms, and what the operator cannot use. */
async function walk(console: Console, starts: readonly string[], isWithin = isPage) {
  const actions = new Map<string, string>()
  const faults: string[] = []
  const seen = new Set<string>()
  const queue = [...starts]
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(kindOf(path))) continue
    seen.add(kindOf(path))
    const answer = await console.get(path)
    if (answer.status === 303) queue.push(answer.headers.get('Location') ?? '')
    else if (answer.status !== 200) faults.push(`${answer.status} ${path}`)
    if (answer.status !== 200) continue
    const page = parse(await answer.text())
    const at = (address: string) => {
      const url = new URL(address, new URL(path, baseUrl))
      return url.pathname + url.search
    }
    queue.push(
      ...page
        .querySelectorAll('a[href]')
        .map((link) => at(link.getAttribute('href') ?? ''))
        .filter(isWithin),
    )
    for (const form of page.querySelectorAll('form[method="post"]')) {
      const address = at(form.getAttribute('action') ?? path)
      actions.set(kindOf(address), address)
    }
    for (const control of page.querySelectorAll('input, select, textarea, button')) {
      const id = control.getAttribute('form')
      const [formaction] = [control.getAttribute('formaction')]
      if (formaction) actions.set(kindOf(at(formaction)), at(formaction))
      const isUsable =
        control.closest('form, dialog, [disabled], template') ||
        // The style sheet reads these choices of a preview.
        control.classList.contains('unseen') ||
        (id && page.querySelector(`form[id="${id}"]`)) ||
        control.hasAttribute('disabled') ||
        ['hidden', 'button'].includes(control.getAttribute('type') ?? '')
      if (!isUsable) faults.push(`${path} has a control without a form: ${control.outerHTML.slice(0, 200)}`)
    }
  }
  return { actions, faults, pages: seen }
}

describe.each(['auditor', 'reviewer', 'senior_reviewer', 'administrator'])(
  'an operator who is %s',
  (role) => {
    test('reaches each linked page and may send each form', async () => {
      const console = await enter([{ role, vault_id: null }])
      const { actions, faults, pages } = await walk(console, ['/console', '/console/settings'])
      expect(faults.filter((fault) => !/^404 \/console(\/settings)?$/.test(fault))).toEqual([])
      expect(pages.size).toBeGreaterThan(8)
      // A form from another site changes nothing. Only those without the permission learn that the page does not exist.
      const refused: string[] = []
      for (const address of actions.values()) {
        const answer = await console.send(address, {}, { 'Sec-Fetch-Site': 'cross-site' })
        if (answer.status !== 403) refused.push(`${answer.status} ${address}`)
      }
      expect(refused).toEqual([])
    })
  },
)

test('an auditor of a vault sees no form about it, whatever they may do in another vault', async () => {
  const inside = (path: string) => isPage(path) && OF_VAULT.some((start) => path.startsWith(start))
  const formsOf = async (grants: Grants) => {
    const { actions, faults } = await walk(await enter(grants), OF_VAULT, inside)
    expect(faults).toEqual([])
    return [...actions.values()].filter(inside)
  }
  const auditor = { role: 'auditor', vault_id: vaultId }
  const more = (vault_id: string) => ['senior_reviewer', 'administrator'].map((role) => ({ role, vault_id }))
  expect(await formsOf([auditor, ...more(other.vaultId)])).toEqual([])
  expect((await formsOf(more(vaultId))).length).toBeGreaterThan(8)
})
