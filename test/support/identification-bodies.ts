/** Bodies of requests that create identifications. Tests without servers can import them. */

export const person = (more: object = {}) => ({
  kind: 'person',
  name: 'Ada',
  surname: 'Lovelace',
  address: 'Ockham Park 1',
  city: 'London',
  country: 'GB',
  birthdate: '1985-12-10',
  email: 'ada@example.com',
  document_type: 'PASSPORT',
  document_number: 'X1234567',
  ...more,
})

export const company = (more: object = {}) => ({
  kind: 'company',
  name: 'Analytical Engines Ltd',
  registration_number: 'HRB 1842',
  country: 'DE',
  address: 'Invalidenstr. 1',
  city: 'Berlin',
  email: 'office@example.com',
  incorporation_date: '2015-02-28',
  ...more,
})
