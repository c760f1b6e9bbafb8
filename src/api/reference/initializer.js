/** Shows the OpenAPI document, and sends test requests to the origin of the page. */

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const here = new URL('.', location.href).href.replace(/\/$/, '')

/** Clears optional fields of forms. Swagger UI would fill in their examples, and send fields that the user empties. */
function emptyOptionalFields({ paths }) {
  for (const { requestBody } of Object.values(paths).flatMap(Object.values)) {
    const { properties = {}, required = [] } = requestBody?.content['multipart/form-data']?.schema ?? {}
    for (const [name, field] of Object.entries(properties)) {
      if (required.includes(name)) continue
      field.default = ''
      delete field.examples
    }
  }
}

const ourWays = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => {
          emptyOptionalFields(document)
          // The document states the public address. The page can be open at another address, and may connect only to
          // its own.
          update({ ...document, servers: [{ url: here }] })
        },
      },
    },
  },
  components: { ParameterIncludeEmpty: () => null },
}

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  plugins: [ourWays],
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: 'none',
})
