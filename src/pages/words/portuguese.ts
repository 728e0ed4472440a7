import type { Words } from '../words'

/** The words of the pages in Portuguese, as it is written in Brazil. */
export const portuguese: Words = {
  scopes: { profile: 'Saber quem você é' },
  consent: {
    question: 'Conectar {client} a {tenant}?',
    confirm: 'Quer mesmo conectar este aplicativo?',
    confirmTitle: 'Confirme, por favor: {question}',
    quote: '“{name}”',
    signedInAs: 'Você entrou como {customer}.',
    otherAccount: 'Usar outra conta',
    scopes: '{client} poderá:',
    unused: 'A conexão termina se o aplicativo não a usar por {time}.',
    lasts: 'A conexão dura {time}.',
    disconnect: 'Você pode encerrá-la a qualquer momento em {apps}.',
    publisher: 'Publicado por',
    destination: 'Seu navegador irá para',
    appOnDevice: 'um aplicativo neste dispositivo ({host})',
    appThatOpens: 'o aplicativo neste dispositivo que abre {address}',
    onDevice: 'um aplicativo em um dispositivo',
    anyAppOnDevice:
      'Qualquer aplicativo neste dispositivo pode se passar por {client}. Continue somente se foi você quem o iniciou.',
    notChecked:
      '{tenant} não verificou este aplicativo. Permita o acesso somente se você acabou de pedir que ele se conecte.',
    known:
      'Este é o aplicativo {client}, de {publisher}. {tenant} não o verificou. Permita o acesso somente se você acabou de pedir que ele se conecte.',
    allow: 'Permitir',
    deny: 'Recusar',
    end: 'Fim da página',
  },
  error: {
    title: 'Não foi possível entrar',
    noAnswer:
      'Todo aplicativo deste tipo tem um endereço onde o consultamos. Desta vez, esse endereço não respondeu. Não há nada de errado com a sua conta.',
    tryAgain: 'Tente novamente em instantes.',
    repeat: 'Tentar novamente',
    goBack: 'Volte ao aplicativo de onde você veio e conecte-o novamente.',
    notAllowed: '{tenant} não permite que este aplicativo se conecte. Se precisar dele, fale com {tenant}.',
    unknownApp: 'Este aplicativo não é reconhecido aqui. Remova a conexão no aplicativo e crie-a novamente.',
    wrongAddress:
      'O aplicativo quer levar você a um endereço que não é dele. Pode ser um golpe. Não tente novamente e fale com o desenvolvedor do aplicativo.',
    noCompany: 'Não há nenhuma empresa neste endereço. Verifique o endereço que você informou no aplicativo.',
    forDeveloper: 'Para o desenvolvedor do aplicativo: {error}',
  },
  connected: {
    title: 'Aplicativos conectados',
    intro: 'O que você conectou a {tenant}:',
    none: 'Você não conectou nenhum aplicativo a {tenant}.',
    since: 'Conectado',
    lastUsed: 'Último uso',
    destinations: 'Os acessos terminam em',
    may: 'Ele pode:',
    managed: 'O acesso de {tenant} conectou este aplicativo e pode conectá-lo de novo.',
    disconnect: 'Desconectar',
    disconnectAll: 'Desconectar todos',
    question: 'Desconectar {client} de {tenant}?',
    questionAll: 'Desconectar todos os aplicativos de {tenant}?',
    effect: 'O acesso termina no máximo em {time}. Você pode conectar de novo a qualquer momento.',
    cancel: 'Cancelar',
  },
  links: {
    privacy: 'Privacidade',
    terms: 'Termos de uso',
    imprint: 'Informações legais',
    support: 'Ajuda',
    home: 'Voltar para {tenant}',
  },
}
