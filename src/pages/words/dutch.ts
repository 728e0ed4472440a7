import type { Words } from '../words'

/** The words of the pages in Dutch. */
export const dutch: Words = {
  scopes: { profile: 'Zien wie u bent' },
  consent: {
    question: '{client} verbinden met {tenant}?',
    confirm: 'Weet u zeker dat u deze app wilt verbinden?',
    confirmTitle: 'Graag bevestigen: {question}',
    quote: '“{name}”',
    signedInAs: 'U bent ingelogd als {customer}.',
    otherAccount: 'Een ander account gebruiken',
    scopes: '{client} kan dan:',
    unused: 'De verbinding eindigt als de app die {time} niet gebruikt.',
    lasts: 'De verbinding duurt {time}.',
    disconnect: 'U kunt de verbinding op elk moment verbreken onder {apps}.',
    publisher: 'Gepubliceerd door',
    destination: 'U wordt doorgestuurd naar',
    appOnDevice: 'een app op dit apparaat ({host})',
    appThatOpens: 'de app op dit apparaat die {address} opent',
    onDevice: 'een app op een apparaat',
    anyAppOnDevice:
      'Elke app op dit apparaat kan zich voordoen als {client}. Ga alleen verder als u de app zelf hebt gestart.',
    notChecked:
      '{tenant} heeft deze app niet gecontroleerd. Sta de app alleen toe als u die zojuist hebt gevraagd om verbinding te maken.',
    known:
      'Dit is {client} van {publisher}. {tenant} heeft deze app niet gecontroleerd. Sta de app alleen toe als u die zojuist hebt gevraagd om verbinding te maken.',
    allow: 'Toestaan',
    deny: 'Weigeren',
    end: 'Einde van de pagina',
  },
  error: {
    title: 'Het inloggen is niet gelukt',
    noAnswer:
      'Elke app van dit type heeft een adres waar wij de gegevens ervan opzoeken. Dat adres heeft deze keer niet geantwoord. Er is niets mis met uw account.',
    tryAgain: 'Probeer het over een ogenblik opnieuw.',
    repeat: 'Opnieuw proberen',
    goBack: 'Ga terug naar de app waar u vandaan kwam en maak opnieuw verbinding.',
    notAllowed:
      '{tenant} staat niet toe dat deze app verbinding maakt. Als u de app nodig hebt, vraag het dan aan {tenant}.',
    unknownApp: 'Deze app is hier niet bekend. Verwijder de verbinding in de app en maak die opnieuw.',
    wrongAddress:
      'De app wil u doorsturen naar een adres dat niet van de app is. Dit kan een poging tot oplichting zijn. Probeer het niet opnieuw en vraag het aan de maker van de app.',
    noCompany: 'Op dit adres is geen bedrijf te vinden. Controleer het adres dat u in de app hebt ingevoerd.',
    forDeveloper: 'Voor de maker van de app: {error}',
  },
  connected: {
    title: 'Verbonden apps',
    intro: 'Wat u met {tenant} hebt verbonden:',
    none: 'U hebt geen apps met {tenant} verbonden.',
    since: 'Verbonden',
    lastUsed: 'Laatst gebruikt',
    destinations: 'Aanmeldingen eindigen bij',
    may: 'De app kan:',
    managed: 'De aanmelding van {tenant} heeft deze app verbonden en kan dat opnieuw doen.',
    disconnect: 'Verbreken',
    disconnectAll: 'Alles verbreken',
    question: 'Verbinding van {client} met {tenant} verbreken?',
    questionAll: 'Verbinding van alle apps met {tenant} verbreken?',
    effect: 'De toegang eindigt uiterlijk over {time}. U kunt op elk moment opnieuw verbinden.',
    cancel: 'Annuleren',
  },
  links: {
    privacy: 'Privacybeleid',
    terms: 'Voorwaarden',
    imprint: 'Colofon',
    support: 'Hulp',
    home: 'Terug naar {tenant}',
  },
}
