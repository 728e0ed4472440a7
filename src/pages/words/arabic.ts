import type { Words } from '../words'

/** The words of the pages in Arabic. */
export const arabic: Words = {
  scopes: { profile: 'معرفة هويتك' },
  consent: {
    question: 'هل تريد ربط {client} مع {tenant}؟',
    confirm: 'هل تريد حقًا ربط هذا التطبيق؟',
    confirmTitle: 'يُرجى التأكيد: {question}',
    quote: '«{name}»',
    signedInAs: 'تم تسجيل دخولك باسم {customer}.',
    otherAccount: 'استخدام حساب آخر',
    scopes: 'سيتمكّن {client} من:',
    publisher: 'الناشر',
    destination: 'ستنتقل إلى',
    appOnDevice: 'تطبيق على هذا الجهاز ({host})',
    appThatOpens: 'التطبيق الذي يفتح {address} على هذا الجهاز',
    onDevice: 'تطبيق على جهاز',
    anyAppOnDevice: 'يمكن لأي تطبيق على هذا الجهاز أن ينتحل صفة {client}. لا تتابع إلا إذا شغّلته بنفسك.',
    notChecked: 'لم تتحقق شركة {tenant} من هذا التطبيق. لا تسمح له إلا إذا طلبت منه الاتصال للتو.',
    known:
      'هذا هو {client} من {publisher}. لم تتحقق شركة {tenant} من هذا التطبيق. لا تسمح له إلا إذا طلبت منه الاتصال للتو.',
    allow: 'السماح',
    deny: 'الرفض',
    end: 'نهاية الصفحة',
  },
  error: {
    title: 'تعذّر تسجيل الدخول',
    noAnswer:
      'لكل تطبيق من هذا النوع عنوان نبحث فيه عن معلوماته. لم يستجب هذا العنوان هذه المرة. لا توجد أي مشكلة في حسابك.',
    tryAgain: 'يُرجى المحاولة مرة أخرى بعد قليل.',
    repeat: 'إعادة المحاولة',
    goBack: 'يُرجى العودة إلى التطبيق الذي أتيت منه وربطه من جديد.',
    notAllowed: 'لا تسمح {tenant} لهذا التطبيق بالاتصال. إذا كنت بحاجة إليه، فيُرجى التواصل مع {tenant}.',
    unknownApp: 'هذا التطبيق غير معروف هنا. يُرجى إزالة الاتصال من التطبيق ثم ربطه من جديد.',
    wrongAddress:
      'يريد التطبيق نقلك إلى عنوان لا يخصّه. قد تكون هذه محاولة احتيال. لا تُعد المحاولة، واسأل مطوّر التطبيق.',
    noCompany: 'لا توجد شركة على هذا العنوان. يُرجى التحقق من العنوان الذي أدخلته في التطبيق.',
    forDeveloper: 'لمطوّر التطبيق: {error}',
  },
  connected: {
    title: 'التطبيقات المرتبطة',
    intro: 'ما ربطته مع {tenant}:',
    none: 'لم تربط أي تطبيق مع {tenant}.',
    since: 'تاريخ الربط',
    lastUsed: 'آخر استخدام',
    destinations: 'تنتهي عمليات الدخول عند',
    may: 'يمكنه:',
    managed: 'ربط تسجيل الدخول لدى {tenant} هذا التطبيق، ويمكنه ربطه من جديد.',
    disconnect: 'إلغاء الربط',
    disconnectAll: 'إلغاء ربط الكل',
    question: 'هل تريد إلغاء ربط {client} مع {tenant}؟',
    questionAll: 'هل تريد إلغاء ربط كل التطبيقات مع {tenant}؟',
    effect: 'ينتهي الوصول خلال {time} على الأكثر. يمكنك الربط من جديد في أي وقت.',
    cancel: 'رجوع',
  },
  links: {
    privacy: 'الخصوصية',
    terms: 'الشروط',
    imprint: 'الإشعار القانوني',
    support: 'المساعدة',
    home: 'العودة إلى {tenant}',
  },
}
