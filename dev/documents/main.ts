/** Command: `npm run documents`. Writes the generated documents. A test fails if they are out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createOpenApiDocument } from '../../src/api/app.ts'
import { createRoutes } from '../../src/api/routes/index.ts'
import { clientTypes } from './client-types.ts'
import { errorsDocument } from './errors-document.ts'
import { withHelmSettings } from './helm-settings.ts'
import { withDrawings } from './import-drawings.ts'

const routes = createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: false })
const Client = await createOpenApiDocument('client', 'http://localhost:3000', routes.client)
const Operator = await createOpenApiDocument('operator', 'http://localhost:3000', routes.operator)

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const write = (path: string, text: string) => writeFileSync(at(path), text)
write('docs/errors.md', errorsDocument())
write('client/types.ts', clientTypes({ Client, Operator }))
write('docs/architecture.md', withDrawings(readFileSync(at('docs/architecture.md'), 'utf8')))
const schema = 'deploy/helm/values.schema.json'
write(
  schema,
  withHelmSettings(readFileSync(at(schema), 'utf8'), readFileSync(at('docs/settings.md'), 'utf8')),
)
