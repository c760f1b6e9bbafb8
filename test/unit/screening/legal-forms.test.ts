/** Tests that screening ignores the legal forms of companies. */
import { expect, test } from 'vitest'
import { formsOf, isSame } from '../../../src/screening/names.ts'

const WRITTEN = `
  Ltd|Ltd.|Limited|LLC|L.L.C.|Limited Liability Company|PLC|P.L.C.|Public Limited Company|Public Joint Stock Company|PJSC|
  JSC|Joint Stock Company|Inc.|Incorporated|Corp.|Corporation|Co.|Company|Co., Ltd.|Co Ltd|LLP|Limited Liability Partnership|
  Pty Ltd|Pty. Ltd.|Pte. Ltd.|Sdn. Bhd.|Private Limited|Pvt. Ltd.|GmbH|G.m.b.H.|mbH|AG|Aktiengesellschaft|KG|OHG|UG
  (haftungsbeschränkt)|GmbH & Co. KG|e.K.|SE|KGaA|eG|Gesellschaft mit beschränkter Haftung|S.à r.l.|SARL|S.A.R.L.|
  Société à responsabilité limitée|S.A.|SA|Société Anonyme|SAS|SASU|S.L.|SL|Sociedad Limitada|S.L.U.|Sociedad Anónima|
  S.A. de C.V.|S. de R.L. de C.V.|Ltda.|Limitada|EIRELI|S.r.l.|SRL|S.p.A.|SpA|Società per azioni|S.n.c.|B.V.|BV|N.V.|NV|
  Besloten vennootschap|Sp. z o.o.|Sp. z o. o.|Spółka z ograniczoną odpowiedzialnością|s.r.o.|spol. s r.o.|
  a.s.|d.o.o.|d.d.|A.D.|EOOD|ООО|ОАО|ЗАО|ПАО|АО|OOO|ZAO|PAO|Общество с ограниченной ответственностью|
  Публичное акционерное общество|A/S|ApS|Anpartsselskab|Aktieselskab|AB|Aktiebolag|AS|ASA|Oy|Oyj|Osakeyhtiö|ehf.|hf.|UAB|
  AB|SIA|OÜ|Kft.|Zrt.|Nyrt.|A.Ş.|Ltd. Şti.|Anonim Şirketi|Α.Ε.|Ε.Π.Ε.|S.A.L.|FZE|FZCO|FZ-LLC|W.L.L.|株式会社|有限会社|合同会社|
  K.K.|有限公司|股份有限公司|주식회사|(주)`
const FORMS = [
  ...new Set(
    WRITTEN.replaceAll(/\s+/g, ' ')
      .split('|')
      .map((each) => each.trim()),
  ),
]

const same = (one: string, other: string) =>
  formsOf(one, 'company').some((left) => formsOf(other, 'company').some((right) => isSame(left, right)))

test('a company is found with any legal form', () => {
  const missed = FORMS.filter((form) => !same(`Vexovia ${form}`, 'Vexovia'))
  expect(missed).toEqual([])
})

test.each(['株式会社Vexovia', 'Vexovia株式会社', 'ООО «Vexovia»', 'PT Vexovia Tbk', 'UAB "Vexovia"'])(
  '%s',
  (name) => {
    expect(same(name, 'Vexovia')).toBe(true)
  },
)

test.each([
  ['Vexovia Nord GmbH', 'Vexovia Süd GmbH'],
  ['Vexovia GmbH', 'Vexoria GmbH'],
  ['Limited', 'Company'],
  ['AS Roma', 'AS Monaco'],
])('%s is not %s', (one, other) => {
  expect(same(one, other)).toBe(false)
})
