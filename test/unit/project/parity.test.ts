/** Tests that the operator API and the console offer the same use cases, except those below. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** The use cases that only the console calls, by reason. */
const CONSOLE_ONLY = {
  'Browsers have sessions, and the OpenID provider redirects them. Programs send access tokens.': [
    'changePasswordInConsole',
    'checkProvider',
    'connectIdentity',
    'endProviderSessions',
    'findConsoleUser',
    'findEndSessionUrl',
    'finishSignIn',
    'isConnected',
    'signInToConsole',
    'signOutOfConsole',
    'startSignIn',
  ],
  'Pages show previews of other pages.': [
    'brandStyle',
    'companyFormOf',
    'previewKybDecision',
    'previewVerificationDecision',
    'readDraftForms',
  ],
  'Forms can be sent twice, so they need to know what the first one did.': [
    'createVaultFromForm',
    'isPending',
    'wasDecidedSince',
  ],
  'Clients change their webhook URLs over their own API, and operators help them in the console.': [
    'getWebhookUrl',
    'listFailing',
    'listUrlDeliveries',
    'listUrlsWithHealth',
    'resendDelivery',
    'rotateWebhookSecret',
    'setUrlTopics',
    'startResend',
    'stopResend',
    'testRegisteredUrl',
    'updateWebhookUrl',
  ],
  'Pages change single rows of a profile.': ['changeDraft', 'getProfileState'],
  'Pages need names, numbers, neighbours and parts of what the API returns as a whole.': [
    'countCases',
    'countQueue',
    'countUsers',
    'exportAudit',
    'exportCases',
    'exportRehearsal',
    'exportTimeline',
    'findEntity',
    'findQueuePlace',
    'findTargetOfHit',
    'findTitle',
    'getApiKey',
    'getCommentTemplate',
    'getFigure',
    'getGroup',
    'getVault',
    'hasWebhookUrls',
    'isFileStoreAvailable',
    'listCaseCountries',
    'listCases',
    'listEmails',
    'listNamedAudit',
    'listNamedReads',
    'listOperatorNames',
    'listReviewMarks',
    'listVaultNames',
    'listVaultsWithHealth',
    'readQueueDetails',
    'readQueuePage',
    'readRecentTimeline',
    'readVaultLimits',
    'sealSearch',
    'searchCases',
    'unsealSearch',
  ],
  'Programs assign each case with a request.': ['assignSeveral'],
} as const

/** The use cases that only the operator API calls, by reason. */
const API_ONLY = {
  'Programs sign in for a token.': ['changePasswordForToken', 'signInForToken'],
  'The sandbox simulates decisions for programs.': ['simulateDecision', 'withVerified'],
  'Only programs publish events and add accounts.': ['addAccount', 'publishEvents'],
  'Programs read whole profiles, of which pages show single rows.': ['getDraft', 'getProfile'],
  'The API returns whole resources, of which pages show parts.': [
    'createVault',
    'getInternalHold',
    'getVaultDetails',
    'listAudit',
    'listInternalHolds',
    'listQueue',
    'listReads',
    'listVaults',
    'lookUpEntities',
    'readReviewMarks',
    'readTimeline',
    'recordedGrants',
  ],
} as const

const namesIn = (lists: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.values(lists).flat().sort()

const IMPORT = /import \{([^}]*)\} from '([^']*use-cases[^']*)'/g
/** The parts that are no use cases: dependencies, limits, credentials, and the checks of callers. */
const HELPERS = /use-cases\/(?:base|limits|credentials|access\/caller)/

/** Returns the names of the use cases that the files import. */
async function useCasesIn(files: readonly string[]): Promise<Set<string>> {
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(IMPORT)]
      .filter(([, , path = '']) => !HELPERS.test(path))
      .map(async ([, names = '', path = '']) => {
        const exported: Record<string, unknown> = await import(resolve(dirname(file), path))
        return names
          .split(',')
          .map((name) => name.trim().split(' as ')[0] ?? '')
          .filter((name) => typeof exported[name] === 'function')
      }),
  )
  return new Set((await Promise.all(found)).flat())
}

/** Returns the files with the routes for operators. */
function operatorRoutes(): string[] {
  const index = readFileSync('src/api/routes/index.ts', 'utf8')
  const [, list = ''] = /operator: \[([^\]]*)\]/.exec(index) ?? []
  return [...index.matchAll(/import \{([^}]*)\} from '\.\/([^']+)'/g)]
    .filter(([, names = '']) => names.split(',').some((name) => list.includes(`...${name.trim()}`)))
    .map(([, , file = '']) => `src/api/routes/${file}`)
}

const inApi = await useCasesIn(operatorRoutes())
/** The pages for vaults' own users use the client API's use cases instead. */
const OF_OPERATORS = globSync('src/pages/console/**/*.{ts,tsx}').filter((file) => !file.includes('/client/'))
const inConsole = await useCasesIn(OF_OPERATORS)

test('only the console calls these use cases', () => {
  expect(inConsole.size).toBeGreaterThan(50)
  expect([...inConsole].filter((name) => !inApi.has(name)).sort()).toEqual(namesIn(CONSOLE_ONLY))
})

test('only the operator API calls these use cases', () => {
  expect(inApi.size).toBeGreaterThan(50)
  expect([...inApi].filter((name) => !inConsole.has(name)).sort()).toEqual(namesIn(API_ONLY))
})
