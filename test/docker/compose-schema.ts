/**
 * The part of the Compose Specification that docker-compose.yml uses. Add a new key here after checking it in
 * the specification.
 */
const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text, minItems: 1 }
const duration = { type: 'string', pattern: '^\\d+(ms|s|m|h)$' }
const named = (of: object) => ({ type: 'object', additionalProperties: of })
const only = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const healthcheck = only(
  {
    // "CMD" runs a program without a shell, which some images do not have.
    test: { type: 'array', prefixItems: [{ const: 'CMD' }], items: text, minItems: 2 },
    interval: duration,
    timeout: duration,
    retries: { type: 'integer', minimum: 1 },
    start_period: duration,
  },
  ['test', 'interval', 'timeout', 'retries'],
)

const service = only(
  {
    image: text,
    build: text,
    pull_policy: { enum: ['build', 'never'] },
    command: texts,
    // Numbers and booleans are quoted, so that YAML does not change their form.
    environment: named(text),
    depends_on: named(
      only({ condition: { enum: ['service_healthy', 'service_completed_successfully'] } }, ['condition']),
    ),
    healthcheck,
    ports: texts,
    volumes: texts,
    configs: { type: 'array', items: only({ source: text, target: text }, ['source', 'target']) },
    restart: { const: 'unless-stopped' },
    init: { type: 'boolean' },
    cap_drop: texts,
    security_opt: texts,
    shm_size: { type: 'string', pattern: '^\\d+(kb|mb|gb)$' },
    stop_grace_period: duration,
    logging: only({ driver: text, options: named(text) }, ['driver']),
  },
  ['image', 'environment', 'logging'],
)

export const composeSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    services: named(service),
    configs: named(only({ content: text }, ['content'])),
    volumes: named({ type: 'null' }),
  },
  patternProperties: { '^x-': {} },
  required: ['name', 'services'],
  additionalProperties: false,
}
