/** Command: `npm run documents`. Writes the generated documents. A test fails if they are out of date. */
import { writeFileSync } from 'node:fs'
import { createOpenApiDocument } from '../../src/api/app.ts'
import { createRoutes } from '../../src/api/routes/index.ts'
import { clientTypes } from './client-types.ts'
import { errorsDocument } from './errors-document.ts'

const routes = createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: false })
const Client = await createOpenApiDocument('client', 'http://localhost:3000', routes.client)
const Operator = await createOpenApiDocument('operator', 'http://localhost:3000', routes.operator)

const write = (path: string, text: string) => writeFileSync(new URL(`../../${path}`, import.meta.url), text)
write('docs/errors.md', errorsDocument())
write('client/types.ts', clientTypes({ Client, Operator }))
