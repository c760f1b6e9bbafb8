// @ts-check
/** Opens the device's menu to share a link, for example by message. Only devices with such a menu show the button. */
import { enliven } from './page.js'

enliven('[data-share]', (button) => {
  if (!navigator.share) return
  const { share: url = '', title = '' } = button.dataset
  button.hidden = false
  button.addEventListener('click', () => {
    // The promise is rejected if the applicant closes the menu.
    navigator.share({ title, url }).catch(() => {})
  })
})
