/** Shows the document beside the page, and sends requests to where the page was opened. */

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const here = new URL('.', location.href).href.replace(/\/$/, '')

/** Else Swagger UI fills every field of a form with its example, and sends those that were emptied. */
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
          // The document names the public address; the page may have been opened at another one, and asks no other.
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
