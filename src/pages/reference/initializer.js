/** Shows the document beside the page, and sends requests to where the page was opened. */

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

/** The document names the public address; the page may have been opened at another one, and asks no other. */
const sendHere = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) =>
          update({ ...document, servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }] }),
      },
    },
  },
})

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  plugins: [sendHere],
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: 'none',
})
